/**
 * Phrases of walls, one row per group of languages. Matched in titles, headings and short texts only; `find-warnings.ts`
 * has the other conditions.
 */
function join(...rows: readonly string[]): RegExp {
  return new RegExp(rows.join('|'), 'iu');
}

export const NOT_FOUND: RegExp = join(
  String.raw`page (?:was ?|is ?|has |could ?|can)?(?:not|n['’]t)(?: be| been)? (?:be )?(?:found|available|here)|page (?:you (?:requested|are looking for|were looking for)|(?:does not|doesn['’]t|no longer) exists?|unavailable|missing)`,
  String.raw`(?:can['’]?t|cannot|could(?:n['’]t| not)) (?:be found|find (?:that|the|this|what)(?: \w+){0,3})|nothing (?:was )?found\b|(?:content|item|product|article|post|topic|thread|listing|job|resource|document|file) (?:was |is )?not (?:found|available)|no longer (?:available|exists?)`,
  String.raw`^\W*(?:sorry\W{1,3})?(?:this |the )?(?:video|content|post|listing|advert|ad|event|story|profile|file|document|link) (?:is |has |has been |was )?(?:currently )?(?:unavailable|not available|removed|deleted|expired|taken down)\b`,
  String.raw`^\W*(?:error |http |fehler |erreur |errore |erro |ошибка |hata )?404\W*(?:(?:error|not found|fehler|ошибка)\W*)?$|\b404\b.{0,20}\b(?:not found|error|page)\b|^not found\W*$|^error 404\b`,
  String.raw`seite (?:wurde |konnte )?(?:leider )?nicht gefunden|seite .{0,30}(?:existiert|gibt es) .{0,20}nicht|nicht (?:mehr )?(?:verfügbar|auffindbar)$|artikel nicht gefunden`,
  String.raw`page (?:est )?introuvable|page (?:non|pas) trouvée|n['’]existe (?:pas|plus)|n['’]a pas été trouvée?|contenu introuvable`,
  String.raw`página no (?:encontrada|existe)|no (?:se )?(?:ha |pudo |puede )?encontr(?:ad[oa]|ar|ó) (?:la )?página|no encontramos (?:la )?página|página não (?:foi )?encontrada|página não existe|pagina non (?:è stata )?trovata|pagina non esiste|pàgina no trobada`,
  String.raw`pagina (?:is )?niet gevonden|pagina (?:die (?:u|je|jij) zoekt )?bestaat niet|sidan (?:kunde inte hittas|hittades inte|finns inte)|sid(?:an|en) (?:blev |ble )?ikke fun(?:det|net)|siden finnes ikke|siden findes ikke|sivua ei (?:löyt|ole)|síða fannst ekki`,
  String.raw`nie znaleziono (?:strony|artykułu)|strona (?:nie istnieje|nie została znaleziona)|stránka (?:nebyla nalezena|nenalezena|neexistuje|nebola nájdená|sa nenašla)|oldal nem található|pagina nu (?:a fost găsită|există)|stranica nije (?:pronađena|pronađen)|stran ni (?:bila )?najdena|страница(?:та)? не (?:е )?(?:найдена|существует|намерена)|сторінк[ау] не (?:знайдено|існує)|такой страницы (?:нет|не существует)`,
  String.raw`η σελίδα δεν (?:βρέθηκε|υπάρχει)|sayfa bulunamadı|lehte ei leitud|lapa nav atrasta|puslapis nerastas|halaman tidak ditemukan|không tìm thấy trang|trang không tồn tại`,
  'ページ(?:が|は)?(?:見つかりません|見つかりませんでした|存在しません)|お探しのページ|(?:页面|頁面|网页|網頁|文章|内容)(?:未找到|不存在|找不到|已被?(?:删除|刪除)|走丢了)|(?:找不到|未找到|无法找到|無法找到).{0,6}(?:页面|頁面|网页|網頁)|페이지를 찾을 수 없|존재하지 않는 페이지|요청하신 페이지',
  'الصفحة غير موجودة|لم يتم العثور على الصفحة|صفحه.{0,12}(?:یافت|پیدا) نشد|(?:הדף|העמוד).{0,12}לא (?:נמצא|קיים)|ไม่พบหน้า|पृष्ठ नहीं मिला|पेज नहीं मिला',
);

/** What a site or its server says while it is down or not set up, in a title, heading or short text. */
export const OUT_OF_ORDER: RegExp = join(
  String.raw`(?:account|website|site|domain)(?: has been| is)? suspended|error establishing a database connection|(?:fatal|parse) error\W{1,4}(?:uncaught|call to|allowed memory|syntax error)|^\W*welcome to nginx|apache2? .{0,20}default page|domain (?:name )?(?:is|may be) (?:for sale|parked)|a (?:client|server)-side exception has occurred`,
  String.raw`(?:under|down for|closed for|perform(?:ing)?|undergoing|scheduled|for) (?:\w+ ){0,2}maintenance\b|maintenance mode|(?:we(?:['’]ll| will)|be) (?:be )?(?:right )?back (?:soon|shortly|online)|(?:site|service|server|page) (?:is )?(?:temporarily |currently )(?:unavailable|down|offline)|service (?:temporarily )?unavailable|internal server error|bad gateway|gateway time-?out|server error in ['‘]`,
  String.raw`^\W*(?:(?:oops|sorry|uh[ -]?oh)\W{1,3})?(?:something (?:went|has gone) wrong|(?:an )?(?:unexpected |unknown |application |server )?error (?:has )?occurred)|^\W*(?:es ist ein fehler aufgetreten|ein fehler ist aufgetreten|etwas ist schiefgelaufen|une erreur (?:est survenue|s['’]est produite)|(?:ha ocurrido|se ha producido) un error|algo salió mal|ocorreu um erro|algo deu errado|si è verificato un errore|qualcosa è andato storto|er (?:is|ging) iets mis|er is een fout opgetreden|något gick fel|noe gikk galt|noget gik galt|wystąpił błąd|coś poszło nie tak|произошла ошибка|что-то пошло не так|bir hata oluştu)`,
  String.raw`wartungsarbeiten|wartungsmodus|(?:wird|werden) .{0,20}gewartet|(?:vorübergehend|derzeit|zurzeit) nicht (?:erreichbar|verfügbar)|site en maintenance|(?:en|pour) (?:cours de )?maintenance\b|momentanément indisponible|service indisponible|en mantenimiento|por mantenimiento|temporalmente (?:fuera de servicio|no disponible)|em manutenção|temporariamente indisponível|in manutenzione|temporaneamente non disponibile`,
  String.raw`in onderhoud|onderhoudswerkzaamheden|tijdelijk niet (?:beschikbaar|bereikbaar)|underhållsarbete|under vedlikehold|prace (?:konserwacyjne|techniczne)|przerwa techniczna|(?:probíhá|z důvodu) údržb|karbantartás|технические работы|техническ(?:их|ое) (?:работ|обслуживани)|bakım (?:çalışması|modu)`,
  '^エラーが発生しました|^(?:出错了|出錯了|发生错误)|^오류가 발생|メンテナンス中|ただいまメンテナンス|维护中|維護中|系统维护|점검 ?중|서비스 점검',
);

/** Title or heading of a sign-in page. */
export const SIGN_IN: RegExp = join(
  String.raw`\b(?:log|sign)[ -]?(?:in|on)\b|\blogin\b|members? (?:only|area)|authentication required|welcome back`,
  String.raw`\banmeld(?:en|ung)\b|\beinloggen\b|(?:se )?connecter\b|connectez-vous|connexion|identifi(?:ez-vous|cation)|inici(?:ar|a) sesi[óo]n|acceder\b|ingresar\b|iniciar sessão|\bentrar\b|faça login|acced[ie]\b|accesso`,
  String.raw`\binloggen\b|aanmelden|logga in|log(?:g)? ind?\b|kirjaudu|zaloguj|logowanie|přihlá(?:sit|šení)|prihlás|bejelentkez|autentific|conectare|prijav[ai]|вход\b|войти|войдите|авторизац|увійти|вхід|σύνδεση|giriş yap|oturum aç|đăng nhập|masuk\b`,
  'ログイン|サインイン|登录|登入|登陆|로그인|تسجيل الدخول|ورود|התחבר|כניסה|เข้าสู่ระบบ|लॉग ?इन',
);

/** Sentences that say that the page needs an account. */
export const MUST_SIGN_IN: RegExp = join(
  String.raw`you (?:must|need to|have to|should) (?:be (?:registered and )?|first )?(?:log|sign)(?:ged|ed)?[ -]?in|(?:please|kindly) (?:log|sign)[ -]?in|(?:log|sign)[ -]?in to (?:continue|view|see|read|access|proceed|your)|(?:only|restricted to|reserved for|available to) (?:registered |logged[ -]in )?(?:members|users)|(?:create (?:an? )?(?:free )?account|register|sign up)(?: for free| now)? to (?:continue|keep|view|see|read|access|unlock)|login (?:is )?required|^\W*you need (?:access|permission)\b|request access,? or switch to an account|(?:only|must be) (?:a )?(?:registered|logged)`,
  String.raw`(?:bitte|müssen|zuerst|zunächst).{0,60}(?:anmelden|einloggen|angemeldet|eingeloggt|melden sie sich)|bitte melden sie sich|nur für (?:registrierte|angemeldete|mitglieder)|(?:vous devez|veuillez).{0,40}(?:connect|identifi)|connectez-vous pour|(?:debes?|necesitas|por favor).{0,30}(?:iniciar|inicia) sesión|inicia sesión para|(?:precisa|deve|é necessário).{0,30}(?:login|entrar|iniciar sessão)|(?:devi|è necessario|effettua).{0,30}(?:acced|login|registr)`,
  String.raw`(?:je moet|log eerst|u moet).{0,40}(?:inlog|aanmeld|ingelogd)|(?:måste|skal|må) .{0,30}logg?[ae]? (?:in|ind|inn)|(?:musisz|zaloguj się),? .{0,30}(?:zalogowa|aby)|(?:необходимо|нужно|пожалуйста|чтобы).{0,40}(?:войти|войдите|авториз)|(?:giriş yap|oturum aç)(?:malı|ın)`,
  'ログインが必要|ログインしてください|(?:请|請)(?:先)?(?:登录|登入|登陆)|(?:登录|登入)后(?:查看|可见|继续)|로그인(?:이 필요|해 ?주세요|하세요|후)|يجب (?:عليك )?تسجيل الدخول',
);

/** Follows a request to sign in that only concerns replies. */
export const TO_REPLY: RegExp =
  /^.{0,30}(?:repl|comment|post\b|vote|answer|rate\b|like\b|download|kommentier|antwort|répondre|comment|responder|comentar|commentare|reageren|ответ|коммент)/iu;

export const FOR_SUBSCRIBERS: RegExp = join(
  String.raw`subscribe (?:now |today )?to (?:continue|keep|read|unlock|access|get (?:full|unlimited))|(?:for|to|by) (?:paid |paying |our |premium )?subscribers(?: only)?\b|subscribers?[- ](?:only|exclusive)|already a (?:subscriber|member)\b|(?:continue|keep) reading (?:with|for|by)|to continue reading|unlock this (?:article|story)|(?:free|monthly) articles? (?:left|remaining)`,
  String.raw`weiterlesen mit|nur für abonnenten|artikel freischalten|(?:haben|besitzen) sie (?:bereits|schon) ein (?:digital-?)?abo|mit (?:dem )?\w*abo (?:weiter)?lesen|réservée? (?:aux|à nos) abonné|abonnez-vous pour|déjà abonné|il vous reste .{0,20} à (?:lire|découvrir)`,
  String.raw`(?:solo|sólo|exclusivo) para suscriptores|suscríbe(?:te|se) para (?:seguir|continuar|leer)|(?:exclusivo|só) para assinantes|assine para (?:continuar|ler)|riservat[oaie] (?:agli|ai nostri) abbonati|abbonati per (?:continuare|leggere)`,
  String.raw`(?:alleen|exclusief) voor abonnees|word abonnee|för prenumeranter|kun for abonnenter|bli abonnent|bliv abonnent|(?:tylko )?dla (?:prenumeratorów|subskrybentów)|pouze pro předplatitele|(?:только )?для подписчиков|оформите подписку|(?:sadece )?abonelere özel|előfizetők`,
  '有料会員|会員限定|続きを読むには|続きは有料|(?:订阅|購買|购买|付费)(?:后|後)?(?:阅读|閱讀|解锁|解鎖)全文|(?:会员|會員)(?:专享|專享|专属)|구독자 전용|유료 (?:기사|회원)',
);

export const CHALLENGE: RegExp = join(
  String.raw`(?:verify|confirm|prove|check(?:ing)?|ensure|sure)(?:ing)? (?:that |if )?you(?:['’]re| are)? ?(?:a |not a |really )?(?:human|real|robot|bot)|are you (?:a )?(?:human|robot)|(?:not|n['’]t) a (?:ro)?bot|human verification|(?:security|bot|browser|human|robot) (?:check|verification|challenge)|checking (?:if the site connection|your (?:browser|connection))|(?:unusual|suspicious|automated) (?:traffic|activity|requests?|access|behaviou?r)|just a moment|press (?:and|&|&amp;) hold|slide to (?:verify|continue)|complete the (?:captcha|puzzle|challenge|security)|solve (?:the|this) (?:captcha|puzzle)|ddos protection|pardon our interruption|(?:verif|check)\w* your (?:browser|request|connection)|request is being verified|enable (?:javascript|js) and cookies to continue|characters you see (?:below|in (?:the|this) image)`,
  String.raw`(?:kein|ein) (?:ro)?bot(?:er)?\b.{0,20}(?:sind|bin)|(?:sind|bin) .{0,10}kein (?:ro)?bot|sicherheitsüberprüfung|sicherheitsabfrage|ungewöhnliche[rn]? (?:datenverkehr|zugriffe|aktivität)|vérif\w+ que vous (?:êtes|n['’]êtes)|(?:êtes|suis).{0,12}(?:humain|robot)|(?:contrôle|vérification) de sécurité|activité (?:inhabituelle|suspecte)|no (?:soy|eres) un robot|(?:eres|es) humano|(?:comprobación|verificación) de seguridad|(?:tráfico|actividad) inusual|não (?:sou|é) um robô|verificação de segurança|non (?:sono|sei) un robot|verifica di sicurezza|geen robot|beveiligingscontrole`,
  String.raw`не робот|проверка (?:безопасности|браузера)|автоматические запросы|nie jeste[mś] (?:ro)?botem|weryfikacja (?:bezpieczeństwa|przeglądarki)|nejste robot|nejsem robot|robot olmadığınız|güvenlik (?:kontrolü|doğrulaması)`,
  '(?:安全|人机|人機|滑动|滑動)(?:验证|驗證|检测)|验证码|驗證碼|请完成.{0,4}验证|拖动.{0,6}滑块|不是(?:机器人|機器人)|ロボットではありません|人間(?:である|です)|セキュリティ(?:チェック|確認)|画像認証|로봇이 아닙니다|보안 ?(?:확인|문자)|자동 입력 방지|비정상적인',
);
export const REFUSED_ACCESS: RegExp = join(
  String.raw`access (?:to this (?:page|site|website) )?(?:has been |is |was )?(?:temporarily )?(?:denied|blocked|restricted|forbidden)|you (?:have been|are|were) (?:temporarily )?(?:blocked|banned)|(?:your )?(?:request|ip(?: address)?|connection) (?:was |has been |is |were )?(?:blocked|rejected|denied|banned)|^\W*(?:(?:error )?403\W*)?forbidden\W*$|not available in your (?:country|region)|unavailable for legal reasons|request unsuccessful|you are being rate limited|too many requests|access limited`,
  String.raw`(?:your|this) (?:web |current )?browser(?: version)? (?:is (?:not supported|no longer supported|unsupported|out ?of ?date|outdated)|isn['’]t supported)|browser wird (?:leider )?nicht (?:mehr )?unterstützt|navigateur n['’]est (?:pas|plus) (?:pris en charge|supporté)|navegador no (?:es compatible|está soportado)|navegador não é (?:compatível|suportado)|browser non è supportato`,
  String.raw`zugriff (?:wurde )?(?:verweigert|gesperrt|blockiert)|accès (?:refusé|interdit|bloqué)|acceso (?:denegado|bloqueado)|acesso (?:negado|bloqueado)|accesso (?:negato|bloccato)|toegang geweigerd|åtkomst nekad|adgang nægtet|odmowa dostępu|dostęp zablokowany|přístup (?:odepřen|zamítnut)|доступ .{0,30}(?:запрещ|огранич|заблок)|erişim engellendi`,
  '访问(?:被拒绝|受限|被阻断)|拒绝访问|訪問被拒|アクセスが(?:拒否|制限)|접근이? ?(?:거부|차단)|تم (?:رفض|حظر)',
);

export const NEEDS_SCRIPTS: RegExp = join(
  String.raw`(?:enabled?|turn(?:ed)? on|activate|requires?|needs?|without|allow|support) (?:your )?(?:java ?script|js)\b|java ?script (?:is |must be |has been )?(?:\w+ )?(?:enabled|required|disabled|needed|turned|off|not)`,
  String.raw`java ?script.{0,60}(?:aktivier|einschalten|benötigt|erforderlich|deaktiviert)|(?:aktivier|benötigt|erfordert|ohne).{0,40}java ?script|(?:activ|habilit|requ|necesit|abilit|attiv|zonder|inschakel|włącz|wymaga|включ|требуется|povol|zapn|aktiver).{0,50}java ?script|java ?script.{0,50}(?:activ|habilit|requ|abilit|attiv|inschakel|włącz|wymaga|включ|отключ|povol|aktiver|gerekli|etkinleştir)`,
  'java ?script.{0,12}(?:有効|必要|启用|啟用|禁用|활성화|사용)|(?:启用|啟用|开启|有効).{0,12}java ?script',
);
export const LOADING: RegExp =
  /^\W*(?:(?:is |now |content |page |app )?load(?:ing)?\b|please wait|wird geladen|lädt|lade\b|bitte warten|chargement|cargando|carregando|caricamento|laden\b|laster|indlæser|ładowanie|načítá|загрузка|завантаження|yükleniyor|読み込み中|加载中|載入中|正在加载|로딩|불러오는).{0,60}$/iu;

/** Label of a button that loads more of a list. */
export const LOAD_MORE: RegExp = join(
  String.raw`^\W*(?:load|show|view|see|get|fetch|display) (?:\d+ |some |the )?(?:more|next|older|additional)\b(?! info| detail| about| option| filter| like this)(?: (?!of\b)\p{L}+(?:-\p{L}+)?){0,3}[^\p{L}\u0345]*$|^\W*(?:more|older|next \d+) (?:results|items|posts|articles|products|stories|entries|listings|jobs|events|news|messages)[^\p{L}\u0345]*$|^\W*load more\b`,
  String.raw`^\W*(?:mehr|weitere|noch mehr|ältere)(?: (?!infos?|details?|über)\p{L}+){0,2} (?:laden|anzeigen|zeigen)[^\p{L}\u0345]*$|^\W*(?:(?:charger|afficher|voir|montrer) (?:plus|la suite|davantage)(?: (?:de|d['’])\s?\p{L}+)?|plus de (?:résultats|produits|articles))[^\p{L}\u0345]*$|^\W*(?:cargar|mostrar|ver) más(?: (?!información|detalles)\p{L}+)?[^\p{L}\u0345]*$|^\W*(?:carregar|mostrar|ver) mais(?: (?!informaç|detalhes)\p{L}+)?[^\p{L}\u0345]*$|^\W*(?:carica|mostra|vedi) (?:altr[ioe]|di più|ancora)(?: \p{L}+)?[^\p{L}\u0345]*$`,
  String.raw`^\W*(?:meer|toon meer|laad meer)(?: \p{L}+(?:-\p{L}+)?)? ?(?:laden|tonen|weergeven)?[^\p{L}\u0345]*$|^\W*(?:ladda|visa|hämta) fler\b.{0,20}$|^\W*(?:last(?: inn)?|vis|hent|indlæs) flere\b.{0,20}$|^\W*(?:lataa|näytä) lisää[^\p{L}\u0345]*$|^\W*(?:załaduj|pokaż|wczytaj|zobacz) więcej.{0,20}$|^\W*(?:načíst|zobrazit|načítať|zobraziť|zobrazit) (?:další|ďalšie|viac|více).{0,20}$|^\W*(?:показать|загрузить) (?:ещ[её]|больше|далее).{0,20}$|^\W*(?:показати|завантажити) (?:ще|більше).{0,20}$|^\W*(?:daha fazla(?: \p{L}+)?(?: (?:göster|yükle))?)[^\p{L}\u0345]*$|^\W*(?:több betöltése|továbbiak betöltése|încarcă mai multe?|vezi mai multe?|φόρτωση περισσότερων|περισσότερα|muat lebih banyak|lihat lainnya|xem thêm|tải thêm)[^\p{L}\u0345]*$`,
  String.raw`^\W*(?:もっと(?:見る|読み込む|表示)|さらに(?:表示|読み込む)|次の\d*件(?:を表示)?|(?:加载|載入|查看|显示|顯示|点击加载|點擊載入)更多|更多(?:加载|載入)|더 ?보기|더 불러오기|تحميل المزيد|عرض المزيد|المزيد|טען עוד|הצג עוד|بارگذاری بیشتر|और (?:देखें|लोड करें)|โหลดเพิ่มเติม|ดูเพิ่มเติม)[^\p{L}\u0345]*$`,
);

/** Two different ones mark a queue before a page. */
export const QUEUE: RegExp = new RegExp(
  join(
    String.raw`waiting room|(?:virtual|online) (?:queue|line)|queue (?:position|number|status)|you(?:['’]re| are) (?:now |currently )?(?:in (?:the |a |our )?(?:virtual )?(?:queue|line)|queued|next in line|waiting)\b|(?:place|position|spot|number|turn) in (?:the )?(?:queue|line)|(?:people|users|visitors|customers|fans|persons) (?:are )?(?:ahead|in front|before)|(?:ahead|in front) of you|(?:estimated|expected|approximate) wait|wait(?:ing)? time|your turn\b|(?:do not|don['’]t|without) (?:close|closing|refresh|refreshing|reload|leave|leaving)|(?:very |unusually )?(?:high|heavy) (?:demand|traffic|volume)|lots? of (?:people|visitors)`,
    String.raw`(?:virtuelle[rn]? )?(?:warteraum|wartezimmer|warteschlange)|an der reihe|vor ihnen|(?:geschätzte |voraussichtliche )?wartezeit|schließen sie (?:dieses|diese) (?:fenster|seite)|(?:nicht|kein) (?:neu laden|aktualisieren)|(?:hoher|großer|starker) (?:andrang|nachfrage)|salle d['’]attente|file d['’]attente|temps d['’]attente|devant vous|votre tour|ne (?:fermez|rechargez|actualisez)|(?:forte|grande) affluence|sala de espera|(?:fila|cola) (?:virtual|de espera)|tiempo (?:estimado )?de espera|delante (?:de usted|de ti|tuy[oa])|(?:su|tu) turno|no (?:cierre|recargue|actualice|cierres)|(?:en la|na) (?:cola|fila)`,
    String.raw`tempo (?:estimado )?de espera|à sua frente|(?:sua|tua) vez|não (?:feche|atualize|recarregue)|sala d['’]attesa|(?:sei|è|siete) in coda|coda virtuale|tempo di attesa|davanti a (?:te|lei|voi)|(?:tuo|suo) turno|non (?:chiudere|aggiornare|ricaricare)|wachtkamer|wachtrij|wachttijd|voor u\b|aan de beurt|(?:sluit|ververs) .{0,15}niet|väntrum|väntetid|(?:står|är) (?:nu )?i kö|før deg|foran dig|venteværelse|venterom|ventetid|i køen?\b|(?:din|deres) tur|stäng inte|luk ikke|ikke lukk|jonossa|odotusaika|vuorosi`,
    String.raw`poczekaln|w kolejce|kolejk[aąi]|czas oczekiwania|przed (?:tobą|panem)|nie (?:zamykaj|odświeżaj)|čekárn|ve frontě|v řadě|doba čekání|nezavírejte|зал ожидания|в очереди|очередь|время ожидания|перед вами|не (?:закрывайте|обновляйте)|bekleme odası|sıra(?:da|nız)|bekleme süresi|kapatmayın|yenilemeyin|hàng (?:đợi|chờ)|thời gian chờ|antrean|waktu tunggu|várószob|várakozási|sorban`,
    '待合室|順番待ち|お待ちいただ|待ち(?:時間|人数)|混(?:み合|雑)|アクセスが集中|閉じ(?:ない|ず)|排[队隊]|等候(?:室|时间|時間)|前面(?:还有|還有|有)|预计等待|預計等待|(?:不要|勿)(?:关闭|關閉|刷新|重新整理)|대기(?:실|열|자|순번| 순번| 인원| 시간| 중)|접속(?:자가| 대기)|(?:닫지|새로고침하지) 마|غرفة الانتظار|قائمة الانتظار|(?:وقت|مدة) الانتظار|أمامك|חדר המתנה|בתור',
  ).source,
  'giu',
);

/** Asks for the age of the reader. */
export const ASKS_AGE: RegExp = join(
  String.raw`are you (?:at least |over |above |older than )?(?:the age of )?(?:18|19|20|21)\b|are you (?:over|at least|of)\b.{0,20}(?:age|18|19|20|21)|you (?:must|have to|need to) be (?:at least |over )?(?:18|19|20|21|of legal)|(?:legal|minimum) (?:drinking |smoking |purchasing |gambling )?age\b|age (?:verification|check|gate|confirmation)|(?:verify|confirm|enter) (?:that )?your (?:age|date of birth|birth ?(?:date|day))|when were you born|(?:date|year) of birth`,
  String.raw`(?:bist du|sind sie) (?:schon |bereits |mindestens |über )*(?:1[68]|volljährig)|alters(?:verifikation|prüfung|nachweis|kontrolle|abfrage|beschränk)|geburts(?:datum|jahr)|(?:êtes-vous|as-tu|avez-vous) .{0,25}(?:18|majeur|âge)|âge légal|vérification (?:de l['’]|d['’])âge|(?:date|année) de naissance|(?:eres|es usted|soy|tienes|tiene) .{0,20}(?:mayor de|18)|verificación de edad|fecha de nacimiento|(?:você )?(?:tem mais de|é maior de) (?:18|idade)|verificação de idade|data de nascimento|(?:sei|è|hai) .{0,20}(?:maggiorenne|18)|verifica (?:dell['’])?età|data di nascita`,
  String.raw`ben (?:je|u) .{0,15}(?:18|21)|leeftijds?(?:controle|verificatie|check)|geboorte(?:datum|jaar)|(?:är|har) du .{0,15}(?:18|20|25)|åldersk?(?:verifiering|kontroll|gräns)|födelse(?:datum|år)|er du .{0,15}(?:18|20)|alders(?:verifi|kontrol|bekreft|grense)|fødsels(?:dato|år)|oletko .{0,20}(?:18|20|täysi)|ikä(?:tarkistus|raja)|syntymä(?:aika|vuosi)|(?:czy )?(?:masz|mam|ukończ).{0,20}18|pełnoletni|weryfikacja wieku|data urodzenia|je v[áa]m .{0,20}18|ověření věku|plnolet|datum narození|elmúlt(?:ál)? .{0,10}18|életkor|împlinit .{0,10}18|verificarea vârstei|18 ετών|επαλήθευση ηλικίας`,
  String.raw`вам (?:уже |есть |исполнилось ){0,3}18|старше 18|(?:подтвер|провер).{0,20}возраст|совершеннолет|дат[ау] рождения|вам (?:вже |є |виповнилося ){0,3}18|18 yaş|yaşınızı|yaş doğrulama|doğum (?:tarihi|yılı)|đủ 18 tuổi|ngày sinh|berusia .{0,10}(?:18|21)|tanggal lahir|(?:18|20)\s?歳(?:以上|未満)|年齢(?:確認|認証)|生年月日|(?:年|已)?[满滿] ?18|年[龄齡](?:验证|驗證|确认|確認)|出生日期|(?:만 ?)?1[89]세 (?:이상|미만)|성인 ?인증|(?:연령|나이) ?(?:확인|인증)|생년월일|18 (?:عاما|سنة)|التحقق من (?:العمر|السن)|תאריך לידה|מעל גיל 18`,
);

/** Label of a button that answers it. */
export const AGE_ANSWER: RegExp =
  /^\W*(?:yes|no|enter|exit|leave|i(?: a|['’])m (?:over|under|of|at least|\d)|i am|over|under|confirm|verify|submit|continue|go|(?:18|21)\s?\+|ja\b|nein|oui|non|sí|sim|não|sì|nee|kyllä|tak\b|nie\b|ano\b|ne\b|igen|nem|da\b|nu\b|ναι|όχι|да|нет|так\b|ні\b|evet|hayır|có|không|ya\b|tidak|entrer|entrar|entra|eintreten|bestätig|weiter|valider|confirm|bevestig|bekräft|bekræft|potwierdź|potvrdit|подтвер|onayla|giriş|はい|いいえ|入場|確認|是|否|进入|進入|离开|離開|确认|確認|예|네|아니|확인|입장|نعم|لا$|כן|לא$)/iu;
