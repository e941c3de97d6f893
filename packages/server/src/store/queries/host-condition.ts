import { sql, type Expression, type SqlBool } from 'kysely';

/**
 * Tests for rows of a host. Their column `host` has no port: a port is searched in the address.
 * @param host as `toStoredHost` returns it
 * @param address column of the URL
 */
export function hostCondition(host: string, address: 'url' | 'final_url'): Expression<SqlBool> {
  const { hostname, port } = URL.parse(`http://${host}`) ?? { hostname: host, port: '' };
  const isHost = sql<SqlBool>`${sql.ref('host')} = ${port === '' ? host.toLowerCase() : hostname}`;
  if (port === '') return isHost;
  const column = sql.ref(address);
  // As callers wrote it, perhaps without a path.
  const isAtPort = sql<SqlBool>`replace(lower(${column}) || '/', ${`//${hostname}:${port}/`}, '') <> lower(${column}) || '/'`;
  return sql<SqlBool>`(${isHost} and ${isAtPort})`;
}
