/** Capitalised like names, but no names: words of the interface, headings, ranks, weekdays and places. */

/** The last word of a user's rank: "Senior Member", "Well-known Member", "Super Moderator". */
const RANK = /^(?!former )\S+(?: \S+)? (?:members?|moderators?|mods?|mitglied|membre|miembro|membro|poster)$/i;

/** Beginnings of place names that no person's name has. */
const PLACE =
  /^(?:New (?:York|Jersey|Delhi|Zealand|Orleans|Mexico|Hampshire|England|South Wales)|(?:North|South|East|West|Northern|Southern|Eastern|Western|Central) (?:Africa|America|Asia|Europe|Korea|Carolina|Dakota|Virginia|Sudan|Australia|Ireland|London|Coast|Side)|United (?:States|Kingdom|Arab Emirates|Nations)|(?:Los|Las) \p{Lu}\p{L}+|San (?:Francisco|Diego|Jose|José|Antonio|Juan|Salvador)|Hong Kong|Puerto Rico|Costa Rica|Sri Lanka|Saudi Arabia|Buenos Aires|Rio de Janeiro|São Paulo|Sao Paulo|Kuala Lumpur|Abu Dhabi|Tel Aviv|Cape Town|Mexico City|Salt Lake City|Czech Republic|Middle East|Silicon Valley|Great Britain|Frankfurt am Main|Washington,? D\.?C\.?|Rhode Island|Long Island|Bay Area|European Union)(?:,? \p{Lu}[\p{L}.]+)?$/u;

const OTHERS = new Set(
  `monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
  lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica
  segunda-feira terça-feira quarta-feira quinta-feira sexta-feira maandag dinsdag woensdag donderdag vrijdag zaterdag zondag måndag tisdag onsdag torsdag fredag lördag söndag
  mandag tirsdag lørdag søndag poniedziałek wtorek środa czwartek piątek sobota niedziela понедельник вторник среда четверг пятница суббота воскресенье
  pazartesi salı çarşamba perşembe cuma cumartesi pazar today yesterday tomorrow heute gestern hier hoy ayer aujourd’hui
  london paris berlin madrid tokyo beijing moscow washington chicago toronto sydney delhi mumbai singapore dubai brussels vienna amsterdam
  contents inhalt inhaltsverzeichnis sommaire índice contenido indice inhoud spis_treści содержание 目次 目录 目錄 목차
  in_this_article on_this_page on_this_site table_of_contents jump_to quick_links main_menu main_navigation dark_mode light_mode
  getting_started executive_summary key_takeaways key_points key_facts final_thoughts related_articles related_posts related_stories related_topics related_content
  community_manager local_guide staff_pick verified_buyer verified_purchase neues_mitglied book_reviews
  top_stories breaking_news latest_news more_news most_popular most_read trending_now recent_posts featured_stories editors_pick editor’s_pick editors’_picks press_release case_study
  add_to_cart add_to_basket buy_now shop_now order_now load_more show_more see_more view_more learn_more listen_now watch_now play_now read_now contact_us about_us sign_in sign_up log_in
  log_out register_now join_now get_started book_now try_now start_now donate_now download_now subscribe_now follow_us share_article share_this print_article
  skip_to_content back_to_top open_menu close_menu free_shipping best_sellers new_arrivals gift_cards customer_service privacy_policy terms_of_use terms_of_service
  weitere_artikel mehr_lesen jetzt_lesen zum_thema zum_inhalt à_lire lire_aussi voir_plus en_savoir_plus leer_más ver_más leggi_anche leia_mais saiba_mais lees_meer czytaj_więcej`
    .split(/\s+/)
    .map((phrase) => phrase.replaceAll('_', ' ')),
);

export function isNoPerson(text: string): boolean {
  return OTHERS.has(text.toLowerCase()) || RANK.test(text) || PLACE.test(text);
}
