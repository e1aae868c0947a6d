/** What other teams build against: the schemas, the AsyncAPI document, the golden records (EVT-01, EVT-02, EVT-13). */
@NullMarked
package tests.contract;

import org.jspecify.annotations.NullMarked;
