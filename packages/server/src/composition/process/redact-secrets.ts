/** What ends the user, password and query parameters of a URL in a log line, which is JSON. */
const USER_INFO = /(:\/{1,2}|%3a%2f%2f)[^\s"\\/?#]*(?:@|%40)/gi;
const PARAMETER = /([?&][^=&?\s"\\#]*=)[^&\s"\\#]*/g;

/** Words in the names of query parameters whose values are secret. */
const SECRET_NAMES = /key|token|secret|passw|pwd|auth|sig|session|credential|jwt/i;

/** Replaces user names and passwords of URLs, and values of query parameters such as `api_key`, in any text. */
export function redactSecrets(text: string): string {
  return text
    .replace(USER_INFO, '$1[secret]@')
    .replace(PARAMETER, (whole, name: string) => (SECRET_NAMES.test(name) ? `${name}[secret]` : whole));
}
