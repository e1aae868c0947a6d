package demo;

/** {@code mvn -q -Pdemo}: runs the demo that is named, on an embedded stack; exit code 0 only if it shows what it says. */
public final class Demo {

    private Demo() {}

    public static void main(String[] arguments) {
        int exit = 1;
        try {
            switch (arguments[0]) {
                case "access-fan-out" -> new FanOutDemo(Integer.parseInt(arguments[1])).run();
                case "access" -> new AccessDemo().run();
                case "replica" -> new ReplicaDemo().run();
                default ->
                    throw new IllegalArgumentException(
                            "there is no demo '" + arguments[0] + "'; access-fan-out, access and replica are some");
            }
            exit = 0;
        } catch (Exception e) {
            System.out.flush();
            System.out.println(
                    String.valueOf(e.getMessage()).lines().findFirst().orElse("the demo failed"));
        }
        System.exit(exit);
    }
}
