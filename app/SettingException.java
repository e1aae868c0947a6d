package app;

/** A setting that cannot be used. The message is one line: the setting, its value (masked if secret), what is allowed. */
public final class SettingException extends RuntimeException {

    public SettingException(String message) {
        super(message);
    }
}
