import candidates from './browser-candidates.json' with { type: 'json' };

/**
 * Executables that are tried when none is configured: the headless shell before the full browser, and first what
 * Debian's script of the same name in /usr/bin runs: one process less. A file of its own, because the set-up reads it too.
 */
export const BROWSER_CANDIDATES: readonly string[] = candidates;

/**
 * Joins a multicast group of the local network for every peer connection. It hides the machine's addresses from pages,
 * which get none in any case: see the policy for WebRTC below.
 */
export const CONFINED_FEATURE = 'WebRtcHideLocalIpsWithMdns';

/** What keeps pages from passing by their lane: a browser that is started elsewhere needs these too, for its lane's host. */
export const CONFINING_FLAGS: readonly string[] = [
  // A context without a lane of its own reaches nothing, loopback included; no name is resolved in the browser.
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // WebRTC's UDP would pass by the proxy; the name without "force-" has no effect in the headless shell.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** Features that would open connections of the browser's own, or cost memory for nothing here. */
const DISABLED_FEATURES = [
  'AutofillServerCommunication',
  'BackForwardCache',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'OptimizationHints',
  'Prerender2',
  'Translate',
  CONFINED_FEATURE,
  // One renderer a page: every frame is seen in one session, and the memory watchdog ends one page only.
  // The context of a capture holds nothing that its sites would have to be kept from.
  'IsolateOrigins',
  'site-per-process',
];

/** Settings of the renderer, as Blink names them. */
const BLINK_SETTINGS = [
  'primaryHoverType=2',
  'availableHoverTypes=2',
  'primaryPointerType=4',
  'availablePointerTypes=4',
  // Of text that declares no encoding Blink detects any but UTF-8.
  'defaultTextEncodingName=UTF-8',
];

export const BROWSER_FLAGS: readonly string[] = [
  '--headless',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  '--disable-site-isolation-trials',
  ...CONFINING_FLAGS,
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-breakpad',
  '--no-pings',
  '--no-first-run',
  '--no-default-browser-check',
  // Pages of several captures are all in the foreground.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-prompt-on-repost',
  '--deny-permission-prompts',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--hide-scrollbars',
  '--mute-audio',
  `--blink-settings=${BLINK_SETTINGS.join(',')}`,
  '--password-store=basic',
  '--use-mock-keychain',
  '--window-size=1365,1024',
];
