/**
 * Names and texts by which pages mark parts that scripts have still to fill. Expressions are linear on untrusted pages;
 * those without flags are also used by scripts in pages.
 */

const ROOT_IDS = 'root|app|__next|__nuxt|___gatsby|app-root|react-root|svelte|q-app|application|main-app|ember-app';
/** Parts of names of skeletons and spinners, in any spelling: `ant-skeleton`, `MuiSkeleton-root`, `page_loader`. */
const PLACEHOLDERS =
  '[Ss]keleton|[Ss]himmer|animate-(?:pulse|spin)|placeholder-(?:glow|wave|item)|content-placeholder|ghost-(?:card|row|line|item)|' +
  '[Cc]ircular-?[Pp]rogress|progress-(?:circular|ring)|(?<![A-Za-z])(?:ph-item|ant-spin(?![a-z])|lds-|sk-(?:chase|circle|cube|fading|folding|wave|bounce)|' +
  'dot-(?:flashing|pulse|typing|elastic|falling)|throbber|loadmask|(?:busy|wait)-indicator)|' +
  '(?:(?<![A-Za-z])(?:[Ss]pinner|[Ll]oad(?:ing|er)|[Pp]reloader)|(?<=[a-z])(?:Spinner|Load(?:ing|er)|Preloader))s?(?![a-z])';

/** A name in the text of a start tag. Values without quotes end at a space, so that a tag is read once. */
const createName = (before: string): string =>
  String.raw`(?<![\w-])(?:class|id)\s*=\s*(?:["'](?:[^"'<>]{0,300}?${before})?|(?:[^\s"'<>=]{1,300}?${before})?)`;

/** Tests an id. */
export const ROOT_NAME: RegExp = new RegExp(`^(?:${ROOT_IDS})`);
/** Tests a class or an id. */
export const PLACEHOLDER_NAME: RegExp = new RegExp(PLACEHOLDERS);

export const ROOT_ID: RegExp = new RegExp(String.raw`(?<![\w-])id\s*=\s*["']?(?:${ROOT_IDS})`, 'i');
export const PLACEHOLDER_ATTRIBUTE: RegExp = new RegExp(
  String.raw`${createName('')}(?:${PLACEHOLDERS})|(?<![\w-])(?:role=["']?progressbar\b|aria-label=["'](?:[Ll]oading|[Pp]lease wait)[\s.…]{0,5}["'])`,
);

/** Tests the start tag of a picture for an animation such as `ajax-loader.gif`. */
export const LOADER_IMAGE: RegExp =
  /(?<![\w-])src\s*=\s*["']?[^"'\s>]{0,300}?(?<![a-z])(?:ajax-?load(?:er|ing)?|loader|loading|spinner)[\w-]{0,30}\.(?:gif|svg|apng|webp)\b|(?<![\w-])alt\s*=\s*["']?(?:loading|please wait)[\s.…]{0,5}["'>]/i;

/** Tests a text of at most 50 characters, such as "Loading…". */
export const PLACEHOLDER_TEXT: RegExp =
  /^\W*(?:(?:(?:is|now|content|page|app) ){0,2}load(?:ing)?\b|please (?:wait|hold)\b|one moment|just a (?:moment|sec(?:ond)?)\b|hang tight|redirecting|(?:[a-zäöüß]{1,30} ){0,2}(?:wird|werden) (?:geladen|abgerufen)|einen (?:moment|augenblick)\b|lädt|lade\b|bitte warten|chargement|(?:veuillez )?patientez\b|un instant\b|(?:se está )?cargando|carregando|a carregar|aguarde\b|(?:sto )?carica(?:mento|ndo)|attend(?:ere|i)\b|(?:bezig met )?laden\b|even (?:geduld|wachten)|laster|laddar\b|vänta\b|indlæser|henter\b|vent (?:venligst|litt)|vennligst vent|ladataan|haetaan|odota\b|(?:trwa )?ładowanie|wczytyw|proszę czekać|načít|nalaga|učitava|betöltés|se încarcă|laadimine|kraunama|загруж|загрузка|подождите|завантаж|зарежда|учитава|φόρτωση|φορτών|yükleniyor|(?:lütfen )?bekleyin|đang tải|vui lòng (?:chờ|đợi)|(?:sedang )?memuat\b|mohon tunggu|กำลังโหลด|กรุณารอ|جار.? (?:ال)?تحميل|لحظة|در حال بارگ|טוען|लोड हो रहा|प्रतीक्षा|読み込[みん][中で]|ロード中|お待ちください|加[载載]中|[载載]入中|正在[加载載]|[请請](?:稍[候等]|等待)|로딩|로드 중|불러오[는고]|잠시만|기다려 ?주|(?:por favor,? )?espere\b|(?:un|um|só um) momento,? por favor|počkejte|čekejte|čakajte|(?:moment|okamžik|okamih),? pros[íi]m|kis türelmet|kérjük,? várj|vă rugăm (?:să )?aștepta|(?:παρακαλώ )?περιμένετε|зачекайте|минуточку|chwileczkę|hetkinen|(?:取得|[读讀]取)中|ロードして|(?:获取|獲取)(?:数据|資料)|đang (?:xử lý|lấy)|sedang diproses|tunggu\b|รอสักครู่|يرجى الانتظار|אנא המתן|רק רגע|অপেক্ষা করুন|লোড হচ্ছে|(?:data|gegevens) (?:wordt |worden )?(?:opgehaald|laden)|récupération (?:des|de la|du)\b|obteniendo\b|recupero (?:dei |dati)|nahráv|ielādē|kraunasi|carregant|hleður).{0,40}$|^(?:almost there|calculating|connecting|fetching|getting (?:everything|it|things)|hang(?:ing)? on|hold(?:ing)? on|initiali[sz]ing|one sec|preparing|retrieving|searching|starting (?:up|the app\w*)|warming up|working|generating|syncing|synchroni[sz]ing|updating|gathering|processing|compiling|getting|un momento|(?:só )?um momento|un attimo|un istante|ett ögonblick|et øye?bli[kc]k|egy pillanat|μια στιγμή|секунду|bir saniye|buscando|a procurar|verbinde|verbindung wird|söker|szukam|ищем|稍等|少々)(?!\p{L}).{0,40}(?:…|\.\.\.)$/iu;
export const MAX_PLACEHOLDER_TEXT = 50;

/** Attributes of an element whose content is being loaded. */
export const BUSY =
  /(?<![\w-])(?:(?:aria-busy|data-(?:is-)?(?:loading|busy|pending))=["']?true\b|data-(?:state|status|phase)=["']?(?:loading|pending|busy)\b)/i;

/** Attributes that request the content of their element when the page has loaded or is scrolled. */
export const DEFERS =
  /(?<![\w-])(?:(?:data-)?hx-trigger\s*=\s*["'][^"']*\b(?:load|revealed|intersect|every)\b|hx-(?:sse|ws)\s*=|(?:sse|ws)-connect\s*=|sse-swap\s*=|up-(?:defer|poll)|wire:init\s*=|data-(?:on-)?(?:load|init)[\w.:-]{0,40}\s*=\s*["']\s*@(?:get|post)\b|data-(?:react|vue|svelte|preact)-(?:class|component)\s*=|shiny-[a-z]{1,20}-output\b|ic-src\s*=|x-(?:data|init|intersect)\s*=\s*["'][^"']*(?:__lazyLoad|\bfetch\s*\(|\baxios\b)|(?:ng-include|w3-include-html|data-include(?:-html|-url|-src)?)\s*=)/i;

/** Attributes of an empty element that scripts fill with markup of their data. */
export const BOUND: RegExp = /(?<![\w-])(?:[xv]-html\s*=|(?:data-)?ng-bind-html\s*=|\[innerhtml\]\s*=)/i;

/** Of a script that requests a part of the page in place of the text before it. */
export const ISLAND: RegExp = /(?<![\w-])data-island-id\s*=/i;

/** An attribute of an empty element with a path of the site, from which a script gets its content. */
export const HAS_SOURCE = /(?<![\w-])data-(?:[\w-]{0,40}-)?(?:url|src|endpoint)(?:-value)?\s*=\s*["']?\/(?!\/)/i;

/** Attributes of an element that scripts repeat for each item of their data. */
export const REPEATS: RegExp =
  /(?<![\w-])(?:(?:v-for|x-for|(?:data-)?ng-repeat|\*ngfor)\s*=|data-bind\s*=\s*["'][^"']*\bforeach\b)/i;

/** A comment that makes scripts repeat what follows for each item of their data. */
export const REPEATS_BELOW: RegExp = /^\s*ko\s+foreach\s*:/;

/** A name in the text of a template that scripts have still to replace by its value. */
export const UNFILLED_NAME: RegExp = /\{\{\s*[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)*\s*(?:\|[^{}]{0,40})?\}\}/i;

/** Custom elements without content of their own. */
export const ALWAYS_EMPTY =
  /icon|^amp-|image|img|picture|pixel|analytics|tracking|(?:^|-)ads?(?:-|$)|modal|dialog|toast|tooltip|spacer|divider|separator|cookie|consent|banner|search|login|cart|menu|share|badge|rating|button/;

/** Calls with which scripts request data. */
export const REQUESTS =
  /\bfetch\s*\(|XMLHttpRequest|EventSource\s*\(|WebSocket\s*\(|\baxios\b|\.(?:getJSON|ajax)\s*\(|\$\.(?:get|post)\s*\(|\.load\s*\(\s*["'`]|[?&](?:callback|jsonp)=/;

/** A script that opens another page after a second or more: handlers of clicks wait for less. */
export const LEAVES_LATER =
  /(?:\bsetTimeout\s*\([^;]{0,200}?|\bsetInterval\s*\([^]{0,300}?|\bawait\b[^;]{0,80};\s{0,20}(?:window\.|document\.|self\.|top\.)?)\blocation(?:\.href)?\s*(?:=(?!=)|\.(?:replace|assign)\s*\()(?![^;]{0,200}?(?:;\s{0,9}\}?\s{0,9})?,\s{0,9}\d{1,3}\s{0,9}\))|\bsetTimeout\s*\(\s*["']?\w{0,20}(?:[Rr]edirect|[Ff]orward|[Gg]o[Tt]o)\w{0,20}(?:\(\))?["']?\s*,\s*\d{4}/;

/** Tests a text of at most 300 characters, such as "You will be redirected in a few seconds". */
export const LEAVING_TEXT: RegExp =
  /\b(?:be|being|are|automatically|get|now|not) redirect(?:ed|ing)\b|\bredirect(?:ing)? you\b|redirect automatically|\b(?:taking|sending|forwarding|transferring) you (?:to|there)\b|\byou(?:.ll| will| are) (?:be|being) (?:taken|transferred|forwarded)\b|page (?:will forward|does not change) in|weitergeleitet|weiterleitung in|umgeleitet|leiten (?:sie|dich) .{0,30}weiter|redirigé|redirection automatique|redirigid|redireccionad|redirecionad|reindirizzat|doorgestuurd|doorverwezen|omdirigera?s|skickas vidare|viderestill|przekierowan|přesměrován|presmerovan|átirányít|yönlendiril|перенаправлен|переадресова|перенаправ|redirigiend|sendes videre|ohjataan|ανακατευθυν|リダイレクト|自動的に(?:移動|ジャンプ|転送|切り替わり)|秒後に(?:移動|切り替わり)|(?:自动|自動)(?:跳转|跳轉|转到|轉到|轉向)|秒后跳转|(?:正在|即将)跳转|자동으로 이동|잠시 후 .{0,20}이동|리디렉션|chuyển hướng|dialihkan|تحويلك/iu;
export const MAX_LEAVING_TEXT = 300;

/** Calls after which a script goes on later. */
export const GOES_ON = /\b(?:setTimeout|setInterval|requestIdleCallback|EventSource|WebSocket)\s*\(/;

/** Classes and ids of what surrounds the content of a site's pages. */
export const FURNITURE_NAME: RegExp = new RegExp(
  String.raw`${createName('\\s')}(?:site-|page-|main-|global-)?(?:footer|navbar(?:-[\w-]{1,40})?|nav|navigation|menu|sidebar|topbar|breadcrumbs?)(?=[\s"'>]|$)`,
  'i',
);

/** Classes and ids of lists that scripts fill. */
export const LIST_NAME: RegExp = new RegExp(
  String.raw`${createName('[\\s_-]')}(?:list|results?|items|cards|feed|grid|table|rows|posts|products|articles|entries|comments|timeline)(?=[\s"'_-]|$)`,
  'i',
);
