import { decodeHTML } from 'entities';
import { isNoPerson } from './no-persons.ts';
import { collapse } from '../tree/text/node-text.ts';

/** "Written by" and the like, at the start of a name from any source. */
const STRONG_OPENINGS = [
  '(?:(?:article|story|text|words|report|guest post|post|blog|photos?|interview|recipe|essay|column|medically reviewed|this (?:post|article|story) (?:was|is))\\s)?(?:written|posted|authored|published|created|submitted|contributed|started|asked|compiled)?\\s?by',
  '(?:article |post |blog |topic |thread )?(?:authors?|contributors?)(?:\\(s\\))?(?=\\s*[:：])|by',
  'thread starter|topic starter|original poster',
  'verfasst von|geschrieben von|eine? (?:gast|debatten)?(?:artikel|beitrag|kommentar|leitartikel|analyse|interview|kolumne|reportage|bericht|essay|rezension|porträt|glosse) von|propos recueillis par|scritto da|a cura di|escrito por|publicado por|texto de|rédigé par|écrit par|publié par|geschreven door|skrevet av|skriven av|skrevet af|kirjoittanut|napisał(?:a)?|oprac\\.|opracował(?:a)?|rozmawiał(?:a)?|írta',
  'автор(?:ы|и)?(?=\\s*:)|опубликовал(?:а)?|συντάκτης|συντάκτρια|γράφει (?:ο|η)|yazan(?=\\s*:)|ditulis oleh|tác giả|đăng bởi',
  '(?:autor(?:a|ka|zy|en|es|in|e)?|auteure?s?|autrice|autore|szerző|skribent|penulis|yazar|text|texto|tekst|words)(?=\\s*[:：])',
  '(?:作者|取材・文|構成・文|文|責任編輯|责任编辑|责编|撰文|記者|记者|編輯|编辑|編集|執筆|執筆者|著者|ライター|投稿者|글|글쓴이|작성자|지은이)(?=\\s*[:：／/・|｜])',
  '(?:本报|本報|本网|本網|本刊|本台)(?:记者|記者)|기자명',
  'بقلم|كتب(?=\\s*:)|كتبه|كتبت|الكاتب(?=\\s*:)|المؤلف|نویسنده|به قلم|تحریر|מאת|נכתב על ידי',
  '(?:लेखक|लेखिका|লেখক|ผู้เขียน)(?=\\s*[:：])|เขียนโดย|โดย',
];

/** Start a byline in their language, but also names elsewhere ("Di Maria", "Von Braun"): for lines of text only. */
const WEAK_OPENINGS = [
  'von|par|por|di|door|av|af|da|od|przez',
  '(?:autor(?:a|ka|zy|en|es|in|e)?|auteure?s?|autrice|autore|szerző|authors?|words|text|tekst|автор(?:ы|и)?|текст)(?=\\s*(?:[:：]|$))',
  'words(?=\\s+\\S+\\s+\\S+$)',
  'του|της|από|yazan|yazar|haber|bởi|theo|oleh|penulis|作者|文|撰文|記者|记者|編輯|编辑|編集|執筆|著者|글|글쓴이|작성자|كتب|الكاتب|لेखक|लेखक|द्वारा|লিখেছেন|ผู้เขียน',
];

/** Openings that are parts of names, with the languages in which they start a byline. */
const PREPOSITIONS: Readonly<Record<string, string>> = {
  af: 'da',
  av: 'nb nn no sv',
  da: 'it',
  de: 'ro',
  di: 'it',
  door: 'nl',
  od: 'bs hr mk sl sr',
  par: 'fr',
  por: 'es gl pt',
  przez: 'pl',
  von: 'de',
};

const AFTER_OPENING = '(?:\\s*[:：／/・|｜–—-]\\s*|\\s+|$)';
const STRONG_OPENING = new RegExp(`^(?:${STRONG_OPENINGS.join('|')})${AFTER_OPENING}`, 'iu');
const OPENING = new RegExp(`^(?:${[...STRONG_OPENINGS, ...WEAK_OPENINGS].join('|')})${AFTER_OPENING}`, 'iu');

const TAIL = new RegExp(
  `(?: ?[|•·–—] | - | @| ?[\\[(<（【〔]| [\\w.+-]{1,64}@[\\w-]| ?, ?(?:${[
    'staff',
    'senior',
    'chief',
    'managing',
    'contributing',
    'contributor',
    'editor',
    'reporter',
    'writer',
    'correspondent',
    'columnist',
    'freelance',
    'special to',
    'associate',
    'assistant',
    'ceo',
    'cto',
    'coo',
    'founder',
    'co-founder',
    'president',
    'vice',
    'director',
    'head of',
    'manager',
    'marketing',
    'content',
    'product',
    'software',
    'engineer',
    'analyst',
    'journalist',
    'professor',
    'author',
    'digital',
    'guest',
    'certified',
    'licensed',
    'registered',
  ].join(
    '|',
  )})\\b| (?:\\d{1,2}\\.? (?:de )?\\p{L}{3,10}\\.? (?:de )?\\d{4}|\\d{1,2}[./-]\\d|\\p{L}{3,9}\\.? \\d{1,2},? \\d{4}|\\d{4}[-./年]))[^]*`,
  'iu',
);

/** Links of a byline behind a name: "Jane Doe Twitter". */
const LINK_TAIL =
  /(?<=^\S+ \S.{0,60}?)(?: (?:and|&))?(?: (?:on |via )?(?:twitter|facebook|instagram|linkedin|youtube|mastodon|bluesky|tiktok|e-?mail|website|rss))+$/i;
/** A role after a name ("Jane Doe, Political Editor"); more names may follow. */
const ROLE =
  / ?, (?:[\p{L}&-]{1,30} ){0,3}(?:editor|correspondent|reporter|writer|columnist|journalist|producer|critic)(?=$| ?[,;|]| (?:and|&) )/giu;
/** Lower-case text after a full name and a comma is a role or place: "Anne Lefèvre, envoyée spéciale à Kiev". */
const SMALL_TAIL =
  /(?<=^\p{Lu}[^\s,]*\s[^,]{2,60}),\s+(?!(?:and|und|et|y|e|og|och|ve|en|i|и|de|del|della|di|da|dos|das|du|van|von|der|den|ter|ten|la|le|el|al|bin|ibn|af|av|zu|ph\.?d|m\.?d|rn|jr|sr|esq)\b)\p{Ll}.*$/u;
const IN_BRACKETS = /^[【[（(「]([^【[（(「」)）\]】]{2,40})[」)）\]】]$/u;

/** For lines only: a stated name may contain these words ("Human in the Loop"). */
const LINE_TAIL = new RegExp(
  `[.,]? (?:${[
    'on|updated|published|posted|last updated|in|at|for|is an?|reviewed by|edited by|fact[- ]checked by',
    'medically reviewed by|photo(?:graph)?s? by|photography by|illustrations? by|on behalf of|says|wrote|writes|follow|share|view|read more|with additional',
    'veröffentlicht|aktualisiert|publiée?|mis à jour|publicad[oa]|actualizado|atualizado|pubblicato|aggiornato|gepubliceerd|bijgewerkt',
    'publisert|publicerad|udgivet|julkaistu|opublikowano|опубликовано|입력|등록|수정|게시|เผยแพร่',
  ].join(
    '|',
  )})(?: [^]*|$)| (?:avec|with|mit|con|com) (?:afp|reuters|ap|dpa|efe|ansa|lusa|agen\\p{L}+)(?!\\p{L})[^]*|(?<! (?:van|von)) (?:op|am|le|el|den) (?:\\p{L}{2,12}\\.?,? )?\\p{Nd}[^]*| (?:photos?|fotos?|images?|bild(?:er)?|vídeos?|videos?|editor|写真|撮影|編集|编辑|摄影|攝影|图|圖|来源|사진) ?[:：／/][^]*`,
  'iu',
);

/** A day before the name: "Dec. 19, 2025 · Jane Doe". */
const DATE_HEAD =
  /^(?:\p{L}{3,9}\.?\s+\d{1,2},?\s+\d{4}|\d{1,2}\.?\s+\p{L}{3,9}\.?\s+\d{4}|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})\s*[·•|,–—-]\s*/u;
/** Text up to "written by": "Dec 23 Written By Jane Doe". */
const LINE_HEAD = /^.{0,40}\b(?:written|posted|published|reported|created)\s+by\b\s*/iu;

/** East Asian roles after a name: 山田太郎 記者, 김철수 기자. */
const ROLE_SUFFIX = / ?(?:記者|记者|編集部員|さん|氏|기자|특파원|님)$/u;

const NOBODY = new Set(
  `admin administrator administrators root webmaster site-admin super-user superuser sysadmin wpadmin test tester user users username default unknown none null
  undefined n/a na topic-author original-poster op thread-starter cancel hello author authors author's name staff editor editors editorial  editorial-staff staff-writer staff-writers staff-reporter
  staff-report contributor contributors guest guests guest-author guest-contributor guest-post guest-blogger guest-writer team the-team our-team
  writer writers   content-writer content marketing  newsroom  newsdesk news-staff   webdesk
   recipe recipes rezept rezepte recette recettes receta recetas ricetta ricette recept recepten przepis przepisy nachrichten news noticias notizie actualités wellness message nachricht mensaje mensagem messaggio bericht wiadomość сообщение posted published updated log register sign download download-pdf view-pdf pdf posted-on published-on gepostet gepostet-am veröffentlicht veröffentlicht-am erschienen erschienen-am publié publié-le publicado publicado-el pubblicato pubblicato-il
   desk press-release press-office by posted-by written-by post blog blogger website site owner moderator member members anonymous-user
  redaktion redaktionsteam die-redaktion redactie redacción redaccion redação redazione rédaction la-rédaction redaktionen toimitus redakcja redakce редакция
  администратор админ редактор автор yönetici editör 編集部 管理者 管理人 管理员 管理員 小编 小編 编辑 編輯 佚名 匿名 관리자 편집부 운영자 ผู้ดูแลระบบ แอดมิน المحرر
  الإدارة مدير مشرف فريق-التحرير ادمین مدیر تحریریه מערכת מנהל संपादक एडमिन quản-trị-viên penulis`
    .split(/\s+/)
    .map((word) => word.replaceAll('-', ' ')),
);

/** Control labels and other lines that pages mark as authors. */
const NOT_A_NAME =
  /:\s|：|\{\{|https?:|www\.|@[\w-]+\.\w|\.(?:com|org|net|html?|php)\/|[{}<>=\\^~$%*#]|^@?https?|\b(?:cookies?|privacy|subscribe|newsletter|sign (?:in|up)|log ?in|read more|learn more|click|comments?|repl(?:y|ies)|minutes?|min read|views?|share|follow|posts by|all posts|view all|see all|more from|more by|about (?:the|us|me)|last (?:edited|updated|modified)|ago|updated|published|copyright|all rights|advertis\w+|sponsored|disclaimer|table of contents|visit (?:our|the)|skip to|menu|search|home ?page|loading|verified|joined|reputation|badges?)\b/i;

/** "asked Mar 2" */
const ACTION = /^(?:asked|answered|edited|modified|commented|replied|started|joined)(?:\s|$)/i;

/** "Drugs.com" is a company, "drugs.com" an address. */
const HOST_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|edu|gov|info|biz|io|[a-z]{2})$/;

/** Words in names of groups and organisations. */
const GROUP =
  /\b(?:team|staff|editors?|editorial|desk|newsroom|inc|llc|ltd|gmbh|corp(?:oration)?|company|group|association|society|institute|university|college|department|ministry|agency|foundation|center|centre|council|committee|bureau|press|media|magazine|news|studios?|hotels?|clinic|hospital|school|library|official|services?|solutions|marketing|software|technologies|systems|redaktion|redaction|rédaction|équipe|equipo|redazione)\b|編集部|新闻|新聞|通信|通讯|社$|뉴스|팀$/iu;

/** A title after a name, with its comma: "Jane Doe, MD, PhD". */
const CREDENTIAL =
  /(?:,\s+|(?<![\s,])\s+)(?:ph\.?d|m\.?d|do|rn|np|pa-c|rd|rdn|ldn|mba|m\.?a|m\.?s|b\.?a|b\.?s|msc|bsc|jd|esq|dds|dvm|vmd|cpa|cfp|cfa|lcsw|lmft|psyd|dpt|pharmd|mph|msw|facc|faad|facs|cissp|pmp|cscs|np-c|fnp|ed\.?d|jr|sr|ii|iii|iv)\.?(?=$|[\s,;])/giu;

const MAX_NAME = 80;
const MAX_LINE = 500;
const MAX_PEOPLE = 12;
const PARTICLES =
  /^(?:de|del|della|di|da|dos|das|du|van|von|der|den|ter|ten|la|le|el|al|bin|ibn|binti|y|e|i|of|the|and|und|et|for|zu|af|av|mc|san|st|ben|dr|ver)$/iu;

/** Returns why a text is not a name; null if it may be one. */
export function refuseName(name: string): string | null {
  if (/^contributors? to\b/i.test(name)) return 'a generic word with nobody behind it';
  if (name.length < 2) return 'too short';
  if (name.length > MAX_NAME) return 'too long for a name';
  if (NOT_A_NAME.test(name)) return 'an address or a label, not a name';
  if (ACTION.test(name)) return 'what somebody did, not a name';
  if (HOST_NAME.test(name)) return 'an address or a label, not a name';
  if (!/\p{L}/u.test(name)) return 'no letters';
  if (isNoPerson(name)) return 'a place, a rank, a weekday, a heading or a control';
  if (
    /\b(?:admin|administrator|webmaster)$/i.test(name) ||
    NOBODY.has(name.toLowerCase().replace(/[-_]/g, ' ').replace(/^the /, ''))
  )
    return 'a generic word with nobody behind it';
  if (/\p{Nd}{4}|\p{Nd}[:./]\p{Nd}/u.test(name) && !/^[\w.-]+$/.test(name)) return 'contains a number or a date';
  if (name.split(' ').length > 9) return 'a sentence, not a name';
  return null;
}

/** Cleans one name: entities, "By", roles, dates, addresses. May return ''. */
export function cleanName(raw: string): string {
  let name = collapse(
    (raw.includes('&') ? decodeHTML(raw.slice(0, MAX_LINE)) : raw.slice(0, MAX_LINE)).replace(/<[^<>]{0,200}>/g, ' '),
  );
  name = name.replace(IN_BRACKETS, '$1');
  for (let i = 0; i < 2; i++) name = name.replace(STRONG_OPENING, '').trim();
  name = name.replace(/^["'“«„:：,\-–—|·•~\s]+/, '');
  name = name
    .replace(LINK_TAIL, '')
    .replace(ROLE, '')
    .replace(SMALL_TAIL, '')
    .replace(TAIL, '')
    .replace(ROLE_SUFFIX, '');
  name = name.replace(/(?<![\s,;:|·•–—-])[\s,;:|·•–—-]+$/, '').replace(/(?:["”»'’])$/, '');
  if (/^@\w+$/.test(name)) name = name.slice(1);
  return name.trim();
}

/** Reads "Von Jane Doe": the preposition's languages and the full name after it ("Von Miller" has none). */
export function readAnnounced(name: string): { readonly languages: readonly string[]; readonly name: string } | null {
  const match = /^(\p{L}{2,6})\s+(\p{Lu}\S*\s.+)$/u.exec(name);
  const languages = match === null ? undefined : PREPOSITIONS[match[1].toLowerCase()];
  return languages === undefined || !looksLikePerson(match![2])
    ? null
    : { languages: languages.split(' '), name: match![2] };
}

/** Words for "and" that also occur in names ("Ortega e Silva") or mean "in": they only separate full names. */
const WEAK_ANDS: Readonly<Record<string, string>> = {
  af: 'en',
  ca: 'i',
  cs: 'a|i',
  es: 'e',
  et: 'ja',
  fi: 'ja',
  gl: 'e',
  hr: 'i',
  hu: 'és',
  id: 'dan',
  it: 'e|ed',
  lt: 'ir',
  lv: 'un',
  ms: 'dan',
  nl: 'en',
  pl: 'i|oraz',
  pt: 'e',
  ro: 'și|şi|si',
  sk: 'a',
  sl: 'in',
  uk: 'та|і|й',
  vi: 'và',
};

function splitAtWeakAnd(names: readonly string[], language: string | null): string[] {
  const word = WEAK_ANDS[language?.split(/[-_]/, 1)[0]?.toLowerCase() ?? ''];
  if (word === undefined) return [...names];
  const and = new RegExp(`\\s(?:${word})\\s`, 'iu');
  return names.flatMap((name) => {
    const parts = name.split(and);
    return parts.every((part) => part.includes(' ') && looksLikePerson(part)) ? parts : [name];
  });
}

/** Splits "A, B and C" into people; titles ("Jane Doe, MD") stay with their name. */
export function splitNames(text: string, language: string | null = null): string[] {
  return splitAtWeakAnd(splitAtCommas(text), language);
}

const JOINED = /\s(?:and|und|et|&|y|og|och|ve|и|και|ו)\s/iu;

function splitAtCommas(text: string): string[] {
  if (/^(\S+) (?:&|and|und|et) \1$/i.test(text)) return [text];
  const marked = replaceCredentials(text, (match) => match.replaceAll(',', '\u0001'));
  const parts = marked
    .split(
      /[;；、،/]|(?<=\p{Script=Hangul})[·ㆍ](?=\p{Script=Hangul})|,(?:\s?(?:and|und|y|et|e|og|och|ve|en|i|и|&)\s)?|\s(?:and|und|et|&|y|og|och|ve|и|και|ו)\s/iu,
    )
    .map((part) => part.replaceAll('\u0001', ',').trim())
    .filter((part) => part !== '');
  const whole = [text];
  if (parts.length < 2 || parts.length > MAX_PEOPLE) return whole;
  const people = dropOrganisation(parts, text);
  if (people.length < parts.length) return people;
  // "Barnes and Noble" is one company; "Jane and John Doe" gains nothing from a split.
  const isJoined = parts.length === 2 && JOINED.test(text);
  // "Doe, Jane" is one person; so is a text that does not split into names.
  if (parts.length === 2 && !parts.some((part) => part.includes(' ')) && /^\S+,/.test(text))
    return [`${parts[1]} ${parts[0]}`];
  return parts.every(
    (part) => part.length <= 40 && (part.includes(' ') || !isLatin(part) || !isJoined) && /^[\p{Lu}\p{Lo}]/u.test(part),
  ) && !isGroup(text)
    ? parts
    : whole;
}

/** Replaces the first run of titles before a comma or the end, in linear time. */
function replaceCredentials(text: string, replace: (run: string) => string): string {
  // Most names have no title; `matchAll` copies the expression first.
  if (text.search(CREDENTIAL) < 0) return text;
  let from = -1;
  let end = -1;
  let to = -1;
  for (const match of text.matchAll(CREDENTIAL)) {
    if (match.index !== end) {
      if (to >= 0) break;
      from = match.index;
    }
    end = match.index + match[0].length;
    if (end === text.length || text[end] === ',' || text[end] === ';') to = end;
  }
  return to < 0 ? text : text.slice(0, from) + replace(text.slice(from, to)) + text.slice(to);
}

/** Drops the organisation after full names and a comma: "Jane Doe and John Roe, Associated Press". */
function dropOrganisation(parts: string[], text: string): string[] {
  const people = parts.slice(0, -1);
  const last = parts.at(-1)!;
  const isTheirs = isGroup(last) && /,\s*$/.test(text.slice(0, -last.length)) && text.endsWith(last);
  return isTheirs && people.every((name) => name.includes(' ') && looksLikePerson(name)) ? people : parts;
}

/** Whether a name looks like a person's: up to six words, capitalised if the script has capitals. */
export function looksLikePerson(name: string): boolean {
  if (isGroup(name)) return false;
  const words = replaceCredentials(name, () => '')
    .split(/[\s,]+/)
    .filter(Boolean);
  if (words.length > 6) return false;
  if (!isLatin(name)) return name.length <= 30;
  if (words.length === 1) return /^\p{Lu}[\p{L}'’.-]+$/u.test(name);
  return (
    !/\d/.test(name) &&
    words.every((word) => /^["'“(]?\p{Lu}/u.test(word) || PARTICLES.test(word) || /^\p{L}['’]\p{Lu}/u.test(word))
  );
}

export function isGroup(name: string): boolean {
  return GROUP.test(name);
}

function isLatin(text: string): boolean {
  return /\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}/u.test(text);
}

/** "By CNN staff writer Jane Doe". */
const ROLE_HEAD =
  /^(?:\p{Lu}[\p{L}.]{1,20} )?(?:(?:[Ss]enior|[Cc]ontributing|[Ss]pecial) )?[Ss]taff (?:[Ww]riter|[Rr]eporter|[Cc]orrespondent),? (?=\S+ \S)/u;

/** Reduces a byline in any language to its name. */
export function cleanByline(line: string): string {
  const rest = collapse(line.slice(0, MAX_LINE))
    .replace(DATE_HEAD, '')
    .replace(LINE_HEAD, '')
    .replace(OPENING, '')
    .trim()
    .replace(OPENING, '')
    .replace(ROLE_HEAD, '');
  return cleanName(rest.replace(LINE_TAIL, ''));
}

/** Whether a name looks like an account's: one lower-case word, or with digits or dots. */
export function looksLikeLogin(name: string): boolean {
  return !name.includes(' ') && (/[\d._]/.test(name) || /^[a-z-]+$/.test(name) || /^[A-Z]?[a-z]+[A-Z]$/.test(name));
}

export function opensByline(text: string): boolean {
  return OPENING.test(`${text} `);
}

/** Whether a line is only an opening, so that the name is in the next element. */
export function isBareOpening(text: string): boolean {
  return `${text} `.replace(OPENING, '').trim() === '';
}

/** Sections and controls are capitalised like names. */
export function looksLikeLabel(text: string): boolean {
  return /\b(?:the|and|of|for|to|in|how|what|news|blog|guide|article|post|read|time|min|health|business|tech|technology|travel|home|food|style|tips|best|top|reviews?|design|development|management|data|security|software|research|learning|resources|products?|company|case|study|stud(?:y|ies)|insights?|media|photos?|photograph(?:s|y|ers?|ed)?|pictures?|images?|illustrations?|illustrated|social|digital|content|web|online|free|new|latest|all|view|my|your|our|contact|account|sign|join|start|get|shop|buy|cart|table|contents|updates?|categor(?:y|ies)|published|twitter|facebook|linkedin|email|copy|link|print|save|comments?|share|last|play|originally|key|features|prices?|brands?|sizes?|colou?rs?|types?|name|abstract|titles?|address|information|details|dealers?|authorized|customers?|register|offices?|model|numbers?|rates|tuition|manufacturers?|popularity|relevance|date|location|country|region|rank|member|senior member|trial|reports|subjects|grade|levels|accessories|checked|reviewed|full|bio|buying|ask|question|forum|columnist|about|request|demo|video|library|more|next|previous|see|topic|section|specialty|service|columns?|opinion|politics|sports?|world|business|science|culture|lifestyle|entertainment|january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i.test(
    text,
  );
}

export function isLabel(text: string): boolean {
  return text.split(' ').every((word) => looksLikeLabel(word));
}

/** Whether a text is a name of at least two words. */
export function isFullName(name: string): boolean {
  return /^\S+ \S/.test(name) && refuseName(name) === null && looksLikePerson(name) && !looksLikeLabel(name);
}
