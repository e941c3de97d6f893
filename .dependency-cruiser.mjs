/** The import direction of ARCHITECTURE.md as rules. Run by `npm test`; `scripts/check-rooms.mjs` checks the folders. */

const PACKAGES = '^packages/';
const TESTS = '\\.test\\.ts$';
/** Tests and their helpers. */
const OF_TESTS = '\\.test(?:-helper)?\\.tsx?$|/testing/';

/** Package → packages of ours that it may import. */
const ALLOWED = {
  contract: [],
  extract: [],
  client: ['contract'],
  server: ['contract', 'extract'],
  console: ['contract', 'client'],
};

const packageRules = Object.entries(ALLOWED).map(([name, allowed]) => ({
  name: `${name}-imports`,
  comment:
    `${name} may import ${allowed.length === 0 ? 'nothing of ours' : allowed.join(', ')}: ` +
    'move the code to a package that both may import, or pass it in as a parameter',
  severity: 'error',
  from: { path: `${PACKAGES}${name}/` },
  to: { path: PACKAGES, pathNot: [name, ...allowed].map((one) => `${PACKAGES}${one}/`) },
}));

const SERVER = `${PACKAGES}server/src/`;

/** Rooms of the server around the domain: they see the domain, never each other. */
const ADAPTERS = ['http', 'engines', 'outbound', 'snapshots', 'store', 'telemetry', 'workers'];

/** Adapters that reach the network do so through egress. */
const THROUGH_EGRESS = ['engines', 'outbound'];

/** Adapters that keep data in SQLite. */
const ON_SQLITE = ['snapshots', 'store'];

/** Rooms that an adapter may use besides the domain. */
const beneath = (name) => [
  ...(THROUGH_EGRESS.includes(name) ? ['egress'] : []),
  ...(ON_SQLITE.includes(name) ? ['sqlite'] : []),
];

const adapterRules = ADAPTERS.map((name) => ({
  name: `adapter-${name}`,
  comment:
    `${name} imports ${['the domain', ...beneath(name)].join(' and ')}, and no other room: ` +
    'declare an interface in the domain and wire it in composition/',
  severity: 'error',
  from: { path: `${SERVER}${name}/`, pathNot: TESTS },
  to: {
    path: SERVER,
    pathNot: [name, 'domain', ...beneath(name)].map((room) => `${SERVER}${room}/`),
  },
}));

/** Rooms that are imported by later ones only. */
const ORDERS = {
  contract: ['shared', 'api', 'admin', 'openapi'],
  extract: [
    'types',
    'tree',
    'page',
    'content',
    'fields',
    'stated',
    'warnings',
    'render',
    'refine',
    'pipeline',
    'sites',
    'templates',
  ],
};

const orderRules = Object.entries(ORDERS).flatMap(([name, rooms]) =>
  rooms.slice(0, -1).map((room, index) => ({
    name: `${name}-${room}-order`,
    comment:
      `rooms of ${name} are imported in the order ${rooms.join(' → ')}: ` +
      `move the shared code to ${room}/ or to a room before it`,
    severity: 'error',
    from: { path: `${PACKAGES}${name}/src/${room}/`, pathNot: TESTS },
    to: { path: `${PACKAGES}${name}/src/(${rooms.slice(index + 1).join('|')})/` },
  })),
);

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'two files import each other: move what both need to a third file',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-tests',
      comment: 'the source imports nothing of the tests: move what both need to the source',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: OF_TESTS },
      to: { path: `^test/|${OF_TESTS}` },
    },
    ...packageRules,
    {
      name: 'domain-imports',
      comment:
        'the domain knows the contract and the extraction library, and no other room: ' +
        'declare an interface in the domain and let the adapter implement it',
      severity: 'error',
      from: { path: `${SERVER}domain/`, pathNot: TESTS },
      to: { path: SERVER, pathNot: `${SERVER}domain/` },
    },
    ...adapterRules,
    {
      name: 'egress-imports',
      comment: 'egress imports the domain, and no other room: pass in what it needs',
      severity: 'error',
      from: { path: `${SERVER}egress/`, pathNot: TESTS },
      to: { path: SERVER, pathNot: [`${SERVER}egress/`, `${SERVER}domain/`] },
    },
    {
      name: 'configuration',
      comment: 'only composition/ and cli/ see the configuration: pass the value in as a parameter',
      severity: 'error',
      from: { path: SERVER, pathNot: [`${SERVER}(composition|config|cli)/`, TESTS] },
      to: { path: `${SERVER}config/` },
    },
    {
      name: 'composition-root',
      comment: 'only cli/ starts what composition/ wires: move shared code to the room that it belongs to',
      severity: 'error',
      from: { path: SERVER, pathNot: [`${SERVER}(composition|cli)/`, TESTS] },
      to: { path: `${SERVER}(composition|cli)/` },
    },
    ...orderRules,
    {
      name: 'extract-is-pure',
      comment: 'the library runs in browsers too: no Node built-ins',
      severity: 'error',
      from: { path: `${PACKAGES}extract/src/`, pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['winnow-source', 'import', 'node', 'default', 'types'],
    },
  },
};
