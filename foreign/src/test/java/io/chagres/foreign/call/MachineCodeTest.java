package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An assembler and the kernel's headers know the numbers that the code holds, for both architectures. */
class MachineCodeTest {
    private static final int READ_AT = 64;
    private static final Pattern ENCODING = Pattern.compile("encoding: \\[([^\\]]*)]");

    private static final String X86_64_SYSTEM_CALL =
            """
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

    private static final String X86_64_READ_AT =
            """
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

    private static final String AARCH64_SYSTEM_CALL =
            """
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

    private static final String AARCH64_READ_AT =
            """
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

    private final Path temp;

    MachineCodeTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @Test
    void anAssemblerMakesTheSame() throws IOException {
        Requires.tool("llvm-mc");
        assertThat(assembled("x86_64", X86_64_SYSTEM_CALL)).isEqualTo(code("amd64", 0));
        assertThat(assembled("x86_64", X86_64_READ_AT)).isEqualTo(code("amd64", READ_AT));
        assertThat(assembled("aarch64", AARCH64_SYSTEM_CALL)).isEqualTo(code("aarch64", 0));
        assertThat(assembled("aarch64", AARCH64_READ_AT)).isEqualTo(code("aarch64", READ_AT));
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
            SystemCallNumbers.all()
                    .forEach((name, number) -> assertThat(own).containsPattern("= " + name + " " + number.x86() + "\n"));
        }
    }

    private String preprocessed(String source) throws IOException {
        Path file = Files.writeString(temp.resolve("numbers.h"), source);
        return Program.ok("gcc", "-E", "-P", "-D__BITS_PER_LONG=64", "-D__ARCH_WANT_NEW_STAT", file.toString());
    }

    private String assembled(String architecture, String source) throws IOException {
        String syntax = architecture.equals("x86_64") ? ".intel_syntax noprefix\n" : "";
        Path file = Files.writeString(temp.resolve("code.s"), syntax + source);
        String listing = Program.ok("llvm-mc", "--triple=" + architecture, "--show-encoding", file.toString());
        StringBuilder hex = new StringBuilder();
        Matcher encoding = ENCODING.matcher(listing);
        while (encoding.find()) {
            hex.append(encoding.group(1).replace("0x", "").replace(",", ""));
        }
        return hex.toString();
    }

    /** Returns the function at an offset, without the zeros that fill up what it does not need. */
    private static String code(String architecture, int offset) {
        byte[] page = MachineCode.bytes(architecture);
        int end = offset + READ_AT;
        while (page[end - 1] == 0) {
            end--;
        }
        return java.util.HexFormat.of().formatHex(Arrays.copyOfRange(page, offset, end));
    }
}
