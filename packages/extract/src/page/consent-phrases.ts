/** Phrases of dialogs that ask for consent, or for an age, one row per group of languages. */
export const CONSENT: RegExp = new RegExp(
  String.raw`legal (?:drinking )?age|\d\d (?:years )?or (?:older|over)\b|over (?:18|21)\b|age verification|mindestens 1[68]\b|volljährig|(?:18 ans|majeur)\b|mayor de edad|maggiorenne|cookies?\b|consent|personali[sz]ed (?:ads|advertising|content)|advertis(?:ing|ements)|privacy|tracking|our partners|personal data|datenschutz|einwillig|zustimm|werbung|werbetracking|partner\b|personenbezogen|confidentialité|vie privée|partenaires|données personnelles|traceurs|privacidad|consentimiento|socios|datos personales|privacidade|consentimento|dados pessoais|consenso|acconsent|dati personali|informativa|terze parti|toestemming|advertenties|partners\b|persoonsgegevens|samtycke|samtykke|personuppgifter|zgod[aęy]|ciastecz|dane osobowe|souhlas|suostumu|eväste|yksityisyy|kakor\b|informasjonskapsl|küpsis|nõusole|sīkdat|sīkfail|piekriš|slapuk|sutikim|kolačić|piškotk|privol|sütik|hozzájárul|adatvédel|consimțământ|бисквитк|съгласи|колачић|συγκατάθεσ|απόρρητο|galetes|đồng ý|quyền riêng tư|kuki\b|privasi|соглас|персональн|куки|çerez|kişisel veri|クッキー|プライバシー|個人(?:情報|データ)|隐私|隱私|同意|쿠키|개인정보`,
  'giu',
);

/** Label of the button that consents. */
export const ACCEPT: RegExp = new RegExp(
  [
    String.raw`^(?:(?:yes|ok(?:ay)?),? )?(?:i )?(?:accept|agree|consent|allow|got it|understand|understood|ok(?:ay)?|enable all|yes|enter(?: (?:the )?site)?|that['’]s (?:fine|ok(?:ay)?))\b(?: (?:all|and|&|to|cookies|the|everything|continue|close).*)?[.!]?$`,
    String.raw`^(?:alle[sn]? )?(?:cookies )?(?:verstanden|ich stimme zu|in ordnung|akzeptieren|annehmen|zustimmen|erlauben|zulassen|einverstanden)\b|^(?:tout |j['’])?(?:accepte[rz]?|autoriser|ai compris)\b|^(?:(?:ja|oui|sí|sì)$|(?:ja|oui|sí|sì), |d['’]accord|entendido|de acuerdo|entendi|concordo|ho capito|va bene|begrepen|ik ga akkoord|jag förstår|jeg forstår|forstået|rozumiem|rozumím|понятно|anladım|aceptar|acepto|permitir|aceitar|aceito|accetta|accetto|acconsent\w+|akkoord|accepteren|alles? accepteren|toestaan|godkänn|acceptera|accept[eé]r|godta|godkend|tillad|hyväksy|salli|tillåt|nõustun|luba|piekrītu|apstiprin|sutinku|priimti|prihvati|prihvaćam|slažem|sprejmi|strinjam|súhlasím|prijať|приемам|съгласен|прихвати|прихватам|αποδέχομαι|συμφωνώ|accepta|đồng ý|chấp nhận|setuju|terima|ยอมรับ|zgadzam|akceptuj|zaakceptuj|přijmout|souhlasím|elfogad|accept[aă]?|αποδοχή|принять|соглас(?:ен|иться|на)|прийняти|(?:tümünü |hepsini |çerezleri )?kabul)`,
    '^(?:すべて|全て)?(?:の ?クッキーを)?(?:同意|許可|承諾)|^(?:全部)?(?:同意|接受)|^(?:모두 )?(?:동의|허용)|^(?:موافق|قبول)',
  ].join('|'),
  'iu',
);

// Limits of the search for a dialog, which climbs from the button that accepts. Lengths are in characters.
export const MAX_LABEL = 40;
export const MAX_LEVELS = 12;
/** Longer elements are pages, not dialogs. */
export const MAX_TEXT = 60_000;
/** Up to this length one word of consent is enough. */
export const SHORT_TEXT = 400;
export const LEAST_WORDS = 3;
/** Different words. */
export const LEAST_KINDS = 2;
/** Other text that an element may add. */
export const LEAST_OTHER = 60;
/** Text for each word of consent. */
export const MAX_SPACING = 200;
