/** What opens a line whose link is another text of the site, in the languages of the test pages. "See also" is content. */
export const RELATED: RegExp = new RegExp(
  `^[^\\p{L}\\p{N}]{0,4}(?:${[
    "related(?: (?:story|stories|articles?|coverage|reading|news|posts?|content|topics?|links?))?|also read|read(?: (?:more|also|next|too|this))?|must read|don['’]t miss|more (?:on this(?: story| topic)?|from us|stories|like this)|recommended(?: reading| for you)?|you (?:may|might) also (?:like|enjoy)|previously|watch (?:also|next)",
    'lesen sie (?:auch|hier|dazu auch|mehr)|lies auch|mehr (?:zum thema|dazu|zu diesem thema|darüber)|(?:lese|buch|video|surf)tipp|(?:auch|ebenfalls) (?:interessant|spannend|lesenswert)|passend dazu|weiterlesen|das könnte (?:sie|dich) auch interessieren',
    'à lire(?: aussi| également)?|(?:à )?lire (?:aussi|également)|sur le même (?:sujet|thème)|à voir aussi|pour aller plus loin|notre (?:article|dossier)',
    'lea (?:también|además|más)|lee (?:también|además|más)|leer más|te puede interesar|le puede interesar|más (?:información|noticias|sobre (?:este|el) tema)|(?:mira|mire|vea|ve) también|(?:te|le) recomendamos|sigue leyendo|relacionad[oa]s?',
    'leia (?:também|mais|ainda)|(?:veja|confira) (?:também|mais)|saiba mais|leggi (?:anche|pure)|leggi di più|(?:ti )?potrebbe interessarti|per approfondire|lees (?:ook|meer|verder)|bekijk ook|ook interessant|läs (?:också|även|mer)|les(?:e)? også|læs også|lue myös',
    '(?:prze)?czytaj (?:też|także|również|więcej)|polecamy|sprawdź (?:też|także|również)|zobacz (?:też|także|również)|čtěte také|přečtěte si|citește și|olvassa el',
    'читайте (?:также|тоже|ещё|еще)|(?:смотрите|см\\.) также|ранее по теме|читайте по теме|по теме|читайте також|ayrıca oku(?:yun)?|baca juga|xem thêm',
    '関連(?:記事|ニュース|リンク)?|(?:あわせて|合わせて)読みたい|おすすめ(?:記事)?|相关(?:阅读|报道|文章|新闻)|延伸阅读|推荐阅读|相關(?:閱讀|報導|文章|新聞)|延伸閱讀|推薦閱讀|관련 ?기사|اقرأ أيضا?ً?|اقرأ المزيد',
  ].join('|')})\\s?[:：|–—»>\\]】-]`,
  'iu',
);

const OF_US = '(?:our|the|my) (?:[\\w-]+ ){0,3}';

/** What opens an appeal to subscribe, follow, install or donate. */
export const APPEAL: RegExp = new RegExp(
  `^(?:please )?(?:${[
    `(?:sign up|subscribe|register) (?:for|to) ${OF_US}(?:newsletters?|channel|podcast|mailing list|e-?mail updates)`,
    '(?:like|follow|find|join) us (?:on|at) (?:facebook|twitter|x|instagram|whatsapp|telegram|youtube|linkedin|google news|threads|tiktok)\\b',
    `download ${OF_US}app\\b`,
    `please (?:consider )?(?:support(?:ing)?|donat(?:e|ing) to|making a donation to) (?:us\\b|${OF_US})`,
    "you(?:[’']re| are)? (?:receiv(?:e|ed|ing)|got|get|getting) this (?:e-?mail|newsletter|message)\\b",
    '(?:support|help) (?:our|independent|quality|local|us keep) (?:[\\w-]+ ){0,2}(?:journalism|reporting|newsroom)',
    "if you(?:[’']ve| have)? (?:like|liked|enjoy|enjoyed|value|appreciate|found)\\b[^.]{0,60}(?:consider|please|you can)\\b[^.]{0,40}(?:support|subscrib|donat|shar(?:e|ing)|buy(?:ing)?|becom(?:e|ing))",
    '(?:si te (?:ha gustado|gusta)|se (?:você )?gostou|se ti è piaciut[oa])[^.]{0,60}(?:apóya|comparte|suscr|apoie|assine|compartilhe|sostien|condividi|iscriviti)',
    '(?:dir|ihnen|euch) (?:gefällt|hat)[^.]{0,60}(?:unterstütz|spende|abonnier|mitglied)|si (?:vous avez aimé|cet article vous a plu)[^.]{0,60}(?:soutenez|partagez|abonnez|don\\b)',
    'abonnieren sie (?:unseren|den) [^.]{0,40}newsletter|folgen sie uns (?:auf|bei)|unterstützen sie (?:unseren|unabhängigen) journalismus',
    'abonnez-vous à (?:notre|la) newsletter|inscrivez-vous à (?:notre|la) newsletter|suivez-nous sur|soutenez (?:notre|le) journalisme',
    'suscr[íi]b(?:ete|ase) a (?:nuestr[oa]|la|el) [^.]{0,40}(?:newsletter|boletín|canal)|s[íi](?:guenos|ganos) en',
    'iscriviti alla (?:nostra )?newsletter|seguici su|assine (?:a )?nossa newsletter|siga-nos (?:no|em)',
    'подписывайтесь на (?:наш|нас)|читайте нас в|obserwuj nas (?:na|w)|följ oss på|følg oss? på|volg ons op',
    '(?:scarica|descarga|descárgate|baixe|téléchargez|laden sie|pobierz|скачайте|ladda ner|download) (?:(?:la nostra|nuestra|la|nosso|o|notre|unsere|die|naszą|наше|vår|onze) )(?:app|aplicativo|application|aplicación|aplikację|приложение)(?![\\p{L}-])',
  ].join('|')})`,
  'iu',
);

/** Lines of software around a text, by their words alone. */
export const CONTROL: RegExp = new RegExp(
  `^(?:${[
    '(?:(?:print|pin|save|share|rate|e-?mail|jump to)(?: this| the)? recipe[^\\p{L}\\p{N}]*)+$',
    '(?:did you (?:make|try|cook|bake)|(?:have you )?(?:tried|made)) this recipe\\b',
    '[★☆⭐\\s]*\\d(?:[.,]\\d+)? from \\d[\\d,.]* (?:votes?|ratings?|reviews?)$',
    '(?:previous|next) (?:message|in thread|by (?:date|thread))\\b|messages sorted by\\b|more information about the \\S+ mailing list$',
    "back to top$|view user[’']s profile\\b|you (?:can|cannot|may|may not) (?:post|reply|edit|delete|vote|attach)\\b.*\\b(?:this forum|topics|posts)\\b",
    'choosing a selection results in a full page refresh|opens in a new (?:window|tab)\\.?$|toggle caption$|unit price\\W*per\\W*$',
    '(?:embed )?</?iframe ',
    '(?:copyright\\b.{0,9}|©\\s?(?:copyright )?)(?:19|20)\\d\\d\\b|page \\d+ of \\d+$|(?:showing|displaying|viewing) (?:all )?[\\d,.–-]+ .{0,30}(?:results?|products?|items?|of [\\d,.]+)|home\\s?[>»›].{0,99}$|\\d{1,2} min(?:ute)?s? read$|(?:share|e-?mail|print) this(?: (?:page|article|post|story|event|product))?\\W*$|(?:follow|like|find) us\\W*$|(?:connect with us|stay connected)\\W*$|(?:sponsored|promoted|advertisement|anzeige|werbung|publicité|publicidade?|pubblicità|advertentie|annons|annonse|annonce|reklama?|mainos|реклама|広告|广告|廣告|광고)$',
    '(?:code ?: ?)?(?:select all|alles auswählen|tout sélectionner|seleccionar todo|seleziona tutto|alles selecteren|zaznacz (?:wszystko|cały)|выделить всё)$',
    '(?:sieh(?:e|en sie)? (?:dir )?(?:diesen|das|den) (?:beitrag|post|profil)|voir cette publication|ver (?:esta|essa) (?:publicación|publicação|foto)|visualizza questo post|(?:dit )?bericht (?:bekijken )?op instagram|visa (?:det här )?inlägget|wyświetl ten post|посмотреть эту публикацию|この投稿を) ?.{0,20}instagram|(?:a post shared by|ein (?:von .{1,60} geteilter )?beitrag(?: geteilt von)?|une publication partagée par|una publicación compartida (?:de|por)|un post condiviso da|uma publicação (?:compart|part)ilhada por|een bericht gedeeld door) .{0,60}@',
    '\\d{1,3}:\\d\\d ?/ ?\\d{1,3}:\\d\\d$|(?:listen to|play) this (?:article|story|post)$|this (?:audio|article|story|voice) (?:is|was) (?:auto(?:matically)?[- ]?generated|generated (?:automatically|by)|read by an? (?:automated|ai))\\b',
    '(?:this|our) (?:post|page|article|site|blog|website|recipe|story|content)s? (?:(?:may|might|can|does|some|also) )*(?:contains?|includes?|uses?|has) (?:some )?(?:affiliate|amazon affiliate|sponsored) links?\\b|(?:affiliate )?disclosure\\s?:.{0,60}affiliate',
    '\\d[\\d.,]*k? (?:likes?|views?|repl(?:y|ies)|up-?votes?|points|comments?)$|view (?:this )?(?:post |photo |profile |thread |video )?on (?:instagram|facebook|mastodon|x|twitter|threads|tiktok|bluesky)$',
    '(?:decrease|increase) quantity\\b|pick-?up (?:currently )?(?:un)?available at\\b|usually ready in \\d|be the first to (?:like|review|comment)\\b|geben sie eine bewertung ab\\b',
    '(?:add to (?:cart|bag|basket|wish ?list)|in den warenkorb|ajouter au panier|añadir al carrito|aggiungi al carrello|adicionar ao carrinho|in winkelwagen|lägg i varukorg|do koszyka|в корзину|カートに入れる|加入购物车)$',
    '(?:rezept (?:drucken|speichern|teilen|merken|bewerten)|imprimer (?:la|cette) recette|imprimir (?:la )?rece(?:ta|ita)|stampa (?:la )?ricetta|recept (?:afdrukken|printen)|drukuj przepis|распечатать рецепт)(?:[^\\p{L}]+(?:rezept )?(?:drucken|speichern|teilen|merken|bewerten))*$',
    'tag (?:us|me|@\\S+)\\b.{0,60}\\b(?:instagram|facebook|tiktok|pinterest)\\b|as an amazon associate\\b|from .{2,40}, the free encyclopa?edia$',
    '(?:\\+ ?)?(?:add|export) to (?:(?:your|my|google|apple|outlook|yahoo) )?calendar$|(?:google|apple|outlook|yahoo) calendar$|icalendar$|outlook (?:365|live)$|(?:zum|in den) kalender (?:hinzufügen|eintragen)$|ajouter (?:à mon|au) (?:calendrier|agenda)$|añadir al calendario$|aggiungi al calendario$',
    '(?:was|is|did you find) this (?:page |article |information |content |answer |document |post )?(?:helpful|useful)\\b|(?:war|ist|fanden sie) (?:dies\\p{L}* |die )?(?:seite |artikel |information(?:en)? |antwort |beitrag )?hilfreich\\b|cet(?:te)? (?:page|article|réponse) vous a-t-(?:elle|il) été utile|¿(?:te|le) (?:ha (?:resultado|sido)|resultó|fue) útil|questa pagina (?:è|ti è) stata utile|esta página foi útil|was deze (?:pagina|informatie) nuttig',
    '(?:quick (?:add|view|shop|buy)|(?:choose|select) options|read more|continue reading|reply|schnell(?:ansicht|kauf)|optionen wählen|ausführung wählen|weiterlesen|mehr lesen|antworten|aperçu rapide|lire la suite|répondre|vista rápida|leer más|responder|leggi (?:tutto|di più)|rispondi|lees (?:meer|verder))[^\\p{L}\\p{N}]{0,4}$',
    'view (?:this (?:e-?mail|newsletter) )?in (?:your )?browser|unsubscribe$|unsubscribe (?:here|from this list)\\b',
    '\\(?(?:additional )?(?:reporting|writing|editing)(?: and \\w+)? by .{3,120}[;,.] (?:additional |and )?(?:editing|reporting|writing)(?: and \\w+)? by\\b',
  ].join('|')})`,
  'iu',
);

/** An order in which a shop or list sorts. */
export const SORT: RegExp = new RegExp(
  `^(?:${[
    'sort(?:ed)? by|(?:by )?relevance|price\\W+(?:low|high)(?:est)? (?:to|first)|price\\W+(?:asc|desc)(?:ending)?|(?:alphabetically|name|title)\\W+[az]\\s?[-–—]\\s?[az]|date\\W+(?:new|old)(?:est)? (?:to|first)|(?:new|old|low|high)est first|(?:low|high)est price(?: first)?',
    'sortier(?:en|ung)(?: nach)?|preis\\W+(?:auf|ab)steigend|(?:niedrigster|höchster) preis(?: zuerst)?|preis\\W+(?:niedrig|hoch)',
    'trier par|prix\\W+(?:dé)?croissant|ordenar por|precio\\W+(?:de )?(?:menor|mayor|más (?:bajo|alto))|preço\\W+(?:de )?(?:menor|maior)|(?:menor|maior|mayor) pre(?:cio|ço)|ordina per|prezzo\\W+(?:de)?crescente',
    'sorteer op|sorteren op|prijs\\W+(?:laag|hoog|op|af)|sortuj|cena\\W+(?:rosnąco|malejąco|od naj)|сортировать|сначала (?:дешев|дорог|нов)|по (?:возрастанию|убыванию) цены|並び替え|価格の?(?:安い|高い)順|价格(?:从低到高|从高到低)|낮은 가격순|높은 가격순',
  ].join('|')})`,
  'iu',
);

/** A link that leads to the rest of a text, or to a page that the text before it names. */
export const LEADS_ON: RegExp = new RegExp(
  `^[^\\p{L}\\p{N}]{0,6}(?:${[
    '(?:follow|join|subscribe to|siga|sigue|únete|participe|inscreva-se|segui|iscriviti|suivez|rejoignez|abonnez-vous|folgen sie|abonnieren sie|volg|följ|obserwuj|подписывайтесь)(?: [^\\s.]{1,20}){0,6} (?:whatsapp|telegram|instagram|facebook|youtube|google (?:news|notícias|noticias|actualités|discover))(?: (?:channel|group|kanal|kanaal))?',
    '(?:read|learn|find out|see|view|show|load|discover|explore) more|buy (?:me|us) a (?:coffee|beer|pizza)(?: at ko-?fi)?|more (?:info|information|details)|(?:view|see|show|full|more) (?:full )?details|(?:continue|keep) reading|read (?:the )?(?:full )?(?:article|story|post)|view (?:product|profile|all)|(?:shop|book|buy|apply) now|get started|click here|see all',
    'weiterlesen|mehr (?:erfahren|lesen|anzeigen|infos?)|zum artikel|lire (?:la suite|plus)|en savoir plus|voir (?:plus|tout)|leer más|seguir leyendo|ver (?:más|todos|detalles)|(?:leia|saiba|ver|veja) mais|leggi (?:tutto|di più)|scopri di più|continua a leggere',
    'lees (?:meer|verder)|meer (?:lezen|info(?:rmatie)?)|läs mer|les mer|læs mere|lue lisää|czytaj (?:więcej|dalej)|więcej|číst (?:více|dále)|zobrazit (?:článek|více)|читать (?:далее|дальше|полностью)|подробнее|devamını oku',
    '続きを読む|もっと(?:見る|読む)|詳細を見る|阅读(?:更多|全文)|查看(?:更多|详情)|了解更多|閱讀更多|更多|더 ?보기|자세히(?: 보기)?',
  ].join('|')})[^\\p{L}\\p{N}]*$`,
  'iu',
);

/** What opens a line of links to the sections and topics of a text. */
export const FILED: RegExp =
  /^[^\p{L}\p{N}]{0,4}(?:(?:posted|filed|tagged)(?: (?:in|under|as|with)|\s?:)|(?:tags?|categor(?:y|ies))\s?:|veröffentlicht (?:in|unter)|(?:kategorien?|schlag(?:wörter|worte|wort))\s?:|(?:publié|classé) (?:dans|sous)|(?:catégories?|étiquettes?)\s?:|(?:publicado|archivado) en|publicado em|(?:categor[ií]as?|etiquetas?)\s?:|pubblicato in|categorie\s?:|geplaatst in|opublikowano w|(?:kategori[ae]|tagi)\s?:|(?:рубрик[аи]|метки|теги)\s?:|(?:カテゴリー?|タグ)\s?[:：])/iu;

/** What a line of legal links at the end of a page says. */
export const LEGAL: RegExp =
  /all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos reservados|todos os direitos reservados|tutti i diritti riservati|alle rechten voorbehouden|wszelkie prawa zastrzeżone|все права защищены|privacy (?:policy|notice|statement)\W{1,5}(?:terms|cookie|legal)|terms(?: (?:of (?:use|service|sale)|(?:&|and) conditions))?\W{1,5}privacy/iu;
