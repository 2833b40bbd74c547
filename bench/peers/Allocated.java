import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.VirtualMachine;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * {@code Allocated PID}: for each line on standard input, prints the bytes that the program's own threads in that JVM
 * have allocated so far. The JVM needs the module jdk.management.agent; the threads that answer this are not counted.
 */
final class Allocated {
    public static void main(String[] args) throws Exception {
        VirtualMachine vm = VirtualMachine.attach(args[0]);
        String address = vm.startLocalManagementAgent();
        vm.detach();
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                    server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
            while (System.in.read() >= 0) {
                System.out.println(total(threads));
            }
        }
    }

    private static long total(ThreadMXBean threads) {
        long[] ids = threads.getAllThreadIds();
        ThreadInfo[] infos = threads.getThreadInfo(ids);
        long[] allocated = threads.getThreadAllocatedBytes(ids);
        long sum = 0;
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] != null && isOwn(infos[i].getThreadName())) {
                sum += allocated[i];
            }
        }
        return sum;
    }

    private static boolean isOwn(String thread) {
        return thread.equals("main") || thread.startsWith("chagres");
    }
}
