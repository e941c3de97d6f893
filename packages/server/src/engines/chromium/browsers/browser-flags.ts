import candidates from './browser-candidates.json' with { type: 'json' };

/** Prefers the headless shell, and the binary to Debian's wrapper script, which costs a process. */
export const BROWSER_CANDIDATES: readonly string[] = candidates;

/** Joins a multicast group per peer connection; the WebRTC policy makes it unnecessary. */
export const CONFINED_FEATURE = 'WebRtcHideLocalIpsWithMdns';

/** Force pages through their browser proxy; external browsers need them too. */
export const CONFINING_FLAGS: readonly string[] = [
  // Contexts without a proxy reach nothing, and the browser resolves no names.
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // WebRTC's UDP would bypass the proxy; the name without "force-" has no effect in the headless shell.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

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
  // One renderer per page: one session sees all frames, and the watchdog ends a single page.
  'IsolateOrigins',
  'site-per-process',
];

const BLINK_SETTINGS = [
  'primaryHoverType=2',
  'availableHoverTypes=2',
  'primaryPointerType=4',
  'availablePointerTypes=4',
  // For undeclared text Blink detects every encoding except UTF-8.
  'defaultTextEncodingName=UTF-8',
];

/** In CSS pixels; without an emulated device, pages see it. */
export const WINDOW_SIZE = { width: 1365, height: 1024 } as const;

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
  // Several captures run in the foreground at once.
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
  `--window-size=${WINDOW_SIZE.width},${WINDOW_SIZE.height}`,
];
