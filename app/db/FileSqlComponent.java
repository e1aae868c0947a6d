package app.db;

import java.util.Map;
import java.util.regex.Pattern;
import org.apache.camel.Endpoint;
import org.apache.camel.component.sql.SqlComponent;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.component.sql.SqlHelper;

/**
 * The {@code sql:} component, which tells each endpoint how many parameters its statement has. Left to itself camel-sql
 * asks the driver before every execution, and the PostgreSQL driver asks the server: each statement would take two round
 * trips ({@code StatementsTest} pins it).
 */
public final class FileSqlComponent extends SqlComponent {

    private static final Pattern PARAMETER = Pattern.compile(":\\?(\\w+|\\$\\{[^}]+})");

    @Override
    protected Endpoint createEndpoint(String uri, String remaining, Map<String, Object> parameters) throws Exception {
        var endpoint = (SqlEndpoint) super.createEndpoint(uri, remaining, parameters);
        var query = SqlHelper.resolveQuery(getCamelContext(), endpoint.getQuery(), endpoint.getPlaceholder());
        endpoint.setParametersCount((int) PARAMETER.matcher(query).results().count());
        return endpoint;
    }
}
