package app.db;

import javax.sql.DataSource;
import org.apache.camel.spring.spi.SpringTransactionPolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** What {@code transacted()} uses. */
public final class Transactions {

    private Transactions() {}

    public static SpringTransactionPolicy policy(DataSource database) {
        return new SpringTransactionPolicy(new TransactionTemplate(new Manager(database)));
    }

    /** A part of a transaction of {@link #policy}, under a savepoint: when it fails, the rest of the transaction stands. */
    public static SpringTransactionPolicy savepoint(DataSource database) {
        var template = new TransactionTemplate(new Manager(database));
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        return new SpringTransactionPolicy(template);
    }

    /**
     * A rollback that fails is one on a broken connection, and the server has rolled back by itself. Spring would throw
     * that failure instead of the one that led to it, and nobody could tell any more whether to try again.
     */
    private static final class Manager extends DataSourceTransactionManager {

        private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

        Manager(DataSource database) {
            super(database);
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            try {
                super.doRollback(status);
            } catch (TransactionException e) {
                LOG.debug("rollback on a broken connection", e);
            }
        }
    }
}
