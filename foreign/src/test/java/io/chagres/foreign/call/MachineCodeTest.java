package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An assembler and the kernel's headers know the numbers that the code holds, for both architectures. */
class MachineCodeTest {
    private static final String X86_64_SYSTEM_CALL = """
            mov rax, rdi
            mov rdi, rsi
            mov rsi, rdx
            mov rdx, rcx
            mov r10, r8
            mov r8, r9
            mov r9, [rsp + 8]
            syscall
            ret
            """;

    private static final String X86_64_READ_AT = """
            add rsi, rdx
            push rcx
            push rsi
            mov rsi, rsp
            mov r10, r8
            xor r8d, r8d
            mov edx, 1
            mov eax, 327
            syscall
            add rsp, 16
            ret
            """;

    private static final String AARCH64_SYSTEM_CALL = """
            mov x8, x0
            mov x0, x1
            mov x1, x2
            mov x2, x3
            mov x3, x4
            mov x4, x5
            mov x5, x6
            svc #0
            ret
            """;

    private static final String AARCH64_READ_AT = """
            add x1, x1, x2
            stp x1, x3, [sp, #-16]!
            mov x1, sp
            mov x2, #1
            mov x3, x4
            mov x4, #0
            mov x8, #286
            svc #0
            add sp, sp, #16
            ret
            """;

    private static final String X86_64_CALL_INT = """
            mov r11, rdi
            mov rdi, rsi
            mov rsi, rdx
            mov rdx, rcx
            mov rcx, r8
            mov r8, r9
            mov r9, [rsp + 8]
            sub rsp, 8
            xor eax, eax
            call r11
            cdqe
            cmp rax, -1
            jne 1f
            movabs rax, 0x1122334455667788
            call rax
            mov eax, [rax]
            neg rax
            1:
            add rsp, 8
            ret
            """;

    private static final String AARCH64_CALL_INT = """
            stp x29, x30, [sp, #-16]!
            mov x29, sp
            mov x9, x0
            mov x0, x1
            mov x1, x2
            mov x2, x3
            mov x3, x4
            mov x4, x5
            mov x5, x6
            blr x9
            sxtw x0, w0
            cmn x0, #1
            b.ne 1f
            ldr x9, 2f
            blr x9
            ldr w0, [x0]
            neg x0, x0
            1:
            ldp x29, x30, [sp], #16
            ret
            2:
            .quad 0x1122334455667788
            """;

    private final Path temp;

    MachineCodeTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @Test
    void anAssemblerMakesTheSame() throws IOException {
        Requires.tool("llvm-mc");
        assertThat(assembled("x86_64", X86_64_SYSTEM_CALL)).isEqualTo(code("amd64", Instructions.SYSTEM_CALL));
        assertThat(assembled("x86_64", X86_64_READ_AT)).isEqualTo(code("amd64", Instructions.READ_AT));
        assertThat(assembled("x86_64", X86_64_CALL_INT)).isEqualTo(code("amd64", Instructions.CALL_INT));
        assertThat(assembled("x86_64", X86_64_CALL_INT.replace("cdqe", "xchg ax, ax")))
                .isEqualTo(code("amd64", Instructions.CALL_LONG));
        assertThat(assembled("aarch64", AARCH64_SYSTEM_CALL)).isEqualTo(code("aarch64", Instructions.SYSTEM_CALL));
        assertThat(assembled("aarch64", AARCH64_READ_AT)).isEqualTo(code("aarch64", Instructions.READ_AT));
        assertThat(assembled("aarch64", AARCH64_CALL_INT)).isEqualTo(code("aarch64", Instructions.CALL_INT));
        assertThat(assembled("aarch64", AARCH64_CALL_INT.replace("sxtw x0, w0", "nop")))
                .isEqualTo(code("aarch64", Instructions.CALL_LONG));
    }

    @Test
    void headersHaveTheSameNumbers() throws IOException {
        Requires.tool("gcc");
        StringBuilder source = new StringBuilder("#include <asm-generic/unistd.h>\n");
        SystemCallNumbers.all().forEach((name, number) -> source.append("= " + name + " __NR_" + name + "\n"));
        String expanded = preprocessed(source.toString());
        for (Map.Entry<String, SystemCallNumbers.Number> call :
                SystemCallNumbers.all().entrySet()) {
            assertThat(expanded)
                    .containsPattern(
                            "= " + call.getKey() + " " + call.getValue().aarch64() + "\n");
        }
        if (System.getProperty("os.arch").equals("amd64")) {
            String own = preprocessed(source.toString().replace("asm-generic/unistd.h", "asm/unistd_64.h"));
            SystemCallNumbers.all().forEach((name, number) -> assertThat(own)
                    .containsPattern("= " + name + " " + number.x86() + "\n"));
        }
    }

    private String preprocessed(String source) throws IOException {
        Path file = Files.writeString(temp.resolve("numbers.h"), source);
        return Program.ok("gcc", "-E", "-P", "-D__BITS_PER_LONG=64", "-D__ARCH_WANT_NEW_STAT", file.toString());
    }

    private String assembled(String architecture, String source) throws IOException {
        String syntax = architecture.equals("x86_64") ? ".intel_syntax noprefix\n" : "";
        Path file = Files.writeString(temp.resolve("code.s"), syntax + source);
        Path object = temp.resolve("code.o");
        Path binary = temp.resolve("code.bin");
        Program.ok("llvm-mc", "--triple=" + architecture, "--filetype=obj", "-o", object.toString(), file.toString());
        Program.ok("llvm-objcopy", "-O", "binary", "-j", ".text", object.toString(), binary.toString());
        return HexFormat.of().formatHex(Files.readAllBytes(binary));
    }

    /** Returns the function at an offset, without the zeros that fill up what it does not need. */
    private static String code(String architecture, int offset) {
        byte[] all = Instructions.of(architecture, 0x1122334455667788L);
        int end = offset == Instructions.SYSTEM_CALL || offset == Instructions.READ_AT ? offset + 64 : offset + 128;
        while (all[end - 1] == 0) {
            end--;
        }
        return HexFormat.of().formatHex(Arrays.copyOfRange(all, offset, end));
    }
}
