package processors.identity;

/**
 * The value of an access event under ContractVersion 2 (EVT-13; setting {@code identity.topic-v2.mapping}). A breaking
 * change of the contract is a class that implements this, named by that setting; it needs a constructor without
 * parameters. What it returns is written as JSON.
 */
public interface AccessContractV2 {

    Object map(UserAccessChanged event);

    /** The default, as long as there is no second contract: the value of the first. */
    final class SameAsV1 implements AccessContractV2 {

        @Override
        public UserAccessChanged map(UserAccessChanged event) {
            return event;
        }
    }
}
