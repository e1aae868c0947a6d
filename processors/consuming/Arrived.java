package processors.consuming;

/** A record on its way through a batch, with whatever a context knows of it. */
public interface Arrived {

    Received source();
}
