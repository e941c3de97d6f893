/** Names of topics and boards in the addresses of forum software, also run together: `viewtopic`, `forum3.html`. */
const FORUM_ADDRESS =
  /(?:^|[/?&=.])(?:view|show|list)?(?:topic|threads?|forums?|boards?|discussions?)(?:display)?(?:-?\d{1,12})?(?:$|[/?&=.,])|[/?&]t\/[^/]{1,200}\/\d|\/t5\//i;
const TOPIC_ADDRESS =
  /(?:^|[/?&=.])(?:(?:view|show)(?:topic|thread)|(?:topic|threads?|discussion)(?:-?\d|[/=.]))|[/?&]t\/[^/]{1,200}\/\d|[/?&]d\/\d|\/td-p\//i;
const DOUBTFUL_ADDRESS = /(?:^|\/)(?:categor(?:y|ies)\/|c\/(?:[^/]{1,200}\/){1,3}\d{1,12}$|d\/\d)/i;
const ACCOUNT_ADDRESS = /(?:^|[/?&])(?:users?|members?|memberlist|profiles?|people|u|author)(?:$|[/?&=.])/i;

const HOST = /^(?:https?:)?\/\/[^/]*/i;
/** Parameters and parts that lead to a page, a post or a view of a topic. */
const PLACE_PARAMETERS =
  /[?&;](?:sid|s|start|page|p|pid|post|view|goto|message|tstart|trange|highlight|do|sort|order)=[^&;]*/g;
const PLACE_PART = /\/(?:post-?\d+|page[-/]?\d+|p\d+|unread|latest)?\/?$/;
/** Discourse numbers posts below the number of their topic. */
const POST_NUMBER = /(\/t\/[^/]{1,200}\/\d{1,12})\/\d{1,12}$/;
const MAX_ADDRESS = 500;

/** Reduces an address to the path of its topic or board, equal for all pages and posts. */
export function toTopic(address: string): string {
  const [withoutFragment] = address.slice(0, MAX_ADDRESS).split('#', 1);
  return withoutFragment
    .replace(HOST, '')
    .replace(PLACE_PARAMETERS, '')
    .replace(PLACE_PART, '')
    .replace(POST_NUMBER, '$1');
}

export function namesForum(topic: string): boolean {
  return FORUM_ADDRESS.test(topic) && !ACCOUNT_ADDRESS.test(topic);
}

export function namesTopic(topic: string): boolean {
  return TOPIC_ADDRESS.test(topic);
}

/** Whether an address may lead to a board or topic, or to a shop's category or item. */
export function mayNameForum(topic: string): boolean {
  return DOUBTFUL_ADDRESS.test(topic) && !ACCOUNT_ADDRESS.test(topic);
}
