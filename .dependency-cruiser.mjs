/** The import direction of ARCHITECTURE.md as rules. Run by `npm test`. */

const PACKAGES = '^packages/';

/** Rooms of the server that stand around the domain; they see the domain, never each other. */
const ADAPTERS = ['http', 'engines', 'outbound', 'snapshots', 'store', 'workers'];

/** Adapters that go out to the network do so through egress. */
const THROUGH_EGRESS = ['engines', 'outbound'];

/** Adapters that keep something in SQLite. */
const ON_SQLITE = ['snapshots', 'store'];

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
  comment: `${name} may import ${allowed.length === 0 ? 'nothing of ours' : allowed.join(', ')}`,
  severity: 'error',
  from: { path: `${PACKAGES}${name}/` },
  to: { path: PACKAGES, pathNot: [name, ...allowed].map((one) => `${PACKAGES}${one}/`) },
}));

const SERVER = `${PACKAGES}server/src/`;
const TESTS = '\\.test\\.ts$';

/** Rooms that an adapter may use beside the domain. */
const beneath = (name) => [
  ...(THROUGH_EGRESS.includes(name) ? ['egress'] : []),
  ...(ON_SQLITE.includes(name) ? ['sqlite'] : []),
];

const adapterRules = ADAPTERS.map((name) => ({
  name: `adapter-${name}`,
  comment: `${name} imports ${['the domain', ...beneath(name)].join(' and ')}, and no other room`,
  severity: 'error',
  from: { path: `${SERVER}${name}/`, pathNot: TESTS },
  to: {
    path: SERVER,
    pathNot: [name, 'domain', ...beneath(name)].map((room) => `${SERVER}${room}/`),
  },
}));

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...packageRules,
    {
      name: 'domain-imports',
      comment: 'the domain knows the contract and the extraction library, and no other room',
      severity: 'error',
      from: { path: `${SERVER}domain/`, pathNot: TESTS },
      to: { path: SERVER, pathNot: `${SERVER}domain/` },
    },
    ...adapterRules,
    {
      name: 'egress-imports',
      severity: 'error',
      from: { path: `${SERVER}egress/`, pathNot: TESTS },
      to: { path: SERVER, pathNot: [`${SERVER}egress/`, `${SERVER}domain/`] },
    },
    {
      name: 'configuration',
      comment: 'only the composition root and the commands see the configuration',
      severity: 'error',
      from: {
        path: SERVER,
        pathNot: [`${SERVER}(main|open-[a-z-]+)\\.ts$`, `${SERVER}config`, `${SERVER}cli/`, TESTS],
      },
      to: { path: `${SERVER}config` },
    },
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
