extension Concepts {
  /// The subjects of fans, of spam, and of friends, family and technical chat.
  static let people: [String: String] = [
    "yourwork": """
    video videos episode episodes channel stream podcast song songs album track book books chapter page novel comic panel series season
    film movie game level boss drawing painting print recipe recipes tutorial post blog column newsletter show concert ending finale
    scene character heroine hero voice lyrics trailer cover folge folgen kanal lied lieder platte buch kapitel seite roman band reihe
    staffel spiel bild gemälde rezept rezepte beitrag sendung konzert auftritt ende szene figur heldin stimme vídeo vídeos capítulo
    canal directo canción canciones disco libro página novela temporada peli juego nivel dibujo cuadro receta recetas personaje voz
    letra final escena vidéo vidéos épisode chaîne chanson chansons livre tome planche bd saison jeu niveau dessin tableau recette
    recettes personnage héros héroïne voix paroles fin scène émission סרטון סרטונים פרק פרקים ערוץ שיר שירים אלבום ספר ספרים עמוד סדרה
    עונה סרט משחק שלב ציור ציורים מתכון מתכונים דמות קול מילים סוף סצנה פודקאסט אגרטל קערה קנקן
    """,
    "yourpron": """
    your yours dein deine deinen deinem deiner deines euer eure eurem tu tus vuestro vuestra ton ta tes votre vos שלך שלכם שלכן
    """,
    "makeq": """
    brush brushes paint paper pen ink paintbrush mic microphone software font strings yarn needle wood glaze clay flour rice pan knife
    pinsel farbe papier stift tinte tusche mikrofon schrift saiten garn nadel holz glasur ton mehl reis pfanne messer leim pincel
    pintura papel tinta micro cuerdas hilo madera barniz arcilla harina arroz sartén cuchillo cola pinceau encre plume crayon feutre
    police cordes fil bois émail argile farine poêle couteau colle מכחול צבע נייר דיו עט מיקרופון גופן מיתרים חוט עץ גלזורה חומר קמח
    מחבת סכין דבק
    """,
    "howdo": """
    how wie cómo comment איך use benutzt benutzen nutzt nimmst verwendest usas utilizas haces utilises fais faites utilisez משתמש* עושה
    עושים clean reinig* putzt limpias nettoies מנקה keep hält dura tient מחזיק long lange tiempo temps
    """,
    "tour": """
    tour signing reading autograph tournee signierstunde lesung buchmesse autogramm gira firma tournée dédicace סיבוב חתימות מופע visit
    coming kommst kommt vienes venís viens passez מגיע* מופיע*
    """,
    "cried": """
    cried cry tears goosebumps sobbing weep geweint heulen tränen gänsehaut heule lloré lloro lágrimas pleuré larmes frissons pleure
    בכיתי דמעות צמרמורת בוכה
    """,
    "laughed": """
    laughed laugh laughing hilarious lol funny gelacht lachen lustig witzig kichern reí risa risas partí gracioso ri rire marré* rigol*
    drôle צחקתי לצחוק מצחיק
    """,
    "changedlife": """
    changed saved helped inspired taught encouraged because since dank geholfen gerettet inspiriert verändert beigebracht ohne seit
    cambió salvó ayudó enseñaste inspir* desde grâce changé sauvé aidé inspiré appris depuis בזכות שינה הציל עזר לימד השראה מאז
    """,
    "milestone": """
    years old finally alone surgery chemo funeral grief hospice recovery jahre jährige endlich allein beerdigung trauer genesung años
    quimio entierro duelo ans enfin chimio enterrement deuil גיל לראשונה לוויה אבל ביוב כימו
    """,
    "lovework": """
    love loved adore favourite favorite amazing beautiful brilliant masterpiece stunning liebe liebt lieblings* großartig wunderbar
    wunderschön toll genial meisterwerk amo encanta encantó encantan favorit* increíble precios* maravill* adoré préféré* magnifique
    sublime génial superbe beau belle אוהב אוהבת אהוב* מדהים* מושלם* נהדר* מקסים* slaps bangs fire banger hammer geil brutal crack ouf
    """,
    "thanks": """
    thanks thank thx cheers danke dank dankbar gracias agradezc* merci תודה
    """,
    "greetfrom": """
    greetings hi hello from grüße gruß aus saludos desde salut bonjour depuis salutations fan fans follower* subscriber* zuhörer*
    zuschauer* leser* oyente* lector* seguidor* auditeur* lecteur* lectrice* abonné* מאזינ* קורא* צופה עוקב*
    """,
    "unfollow": """
    unfollow* unsubscrib* unsubscribed cancel cancelling uninstalled deabonn* abbestell* entfolg* desuscri* desinstal* désabonn*
    désinstall* unlike הפסקתי מסיר
    """,
    "sellout": """
    sellout ads advert sponsor clickbait greedy paywall loot betrayed betrayal fake werbung abzocke geldgier verkauft ausverkauf verrat
    anuncios publicidad vendid* traici* estafa engañ* pub publicités vendu trahi* trahison arnaque פרסומות בגידה מכרת שקר*
    """,
    "disappointed": """
    disappoint* expected shame poor rude insult* respect mock* worse enttäusch* erwartet schade respekt beleidig* nachgeäfft peinlich
    früher billig decepcion* esperaba vergüenza respeto burla* antes déçu* décevant attend* honte moqu* avant promett* imbécile* מאוכזב*
    אכזבה ציפיתי בושה כבוד מזלזל* לעג* פעם
    """,
    "nitpick": """
    bit slightly though opinion cents imo tbh preferred prefer loud quiet long short slow bisschen etwas meinung laut leise hektisch
    poco demasiado opinión prefería alto bajo peu trop avis préférais fort bas lent קצת מדי דעתי העדפתי miss vermisse extraño manque
    מתגעגע*
    """,
    "capsjoy": """
    omg wow aaah woohoo yay hurra wahnsinn juhu guau youpi ouah וואו אאא יש can't believe unglaublich increíble incroyable מאמין
    """,
    "spamearn": """
    earn income passive daily weekly remote testers hire hiring verdien* einkommen nebenverdienst heimarbeit homeoffice täglich gana*
    ingresos casa cobra diario semanal teletrabajo gagne* revenu* domicile complément jour quotidien להרוויח הכנסה מהבית פסיבית פרנסה
    likes reseñas bewerten
    """,
    "spaminvest": """
    invest bitcoin crypto forex trading stocks shares multiply double x10 guaranteed returns signals krypto aktien verdoppel*
    verzehnfach* garantiert rendite anlage* invertir inversión criptomoneda* acciones multiplica* duplica* garantizad* rentab* investi*
    cryptomonnaie* actions doubl* multipli* garanti* rendement* להשקיע השקעה קריפטו מניות ביטקוין תשואה להכפיל יכפילו מובטח* monero
    token presale airdrop coin coins monnaie moneda מטבע טתר
    """,
    "spamverify": """
    verify account suspended password confirm login update restricted security verifizier* konto gesperrt passwort bestätigen zugang
    eingeschränkt aktualisier* verific* cuenta suspendid* contraseña confirme acceso actualice bloquead* vérifi* compte suspendu*
    identifiant* confirmez accès bloqué* messagerie לאמת חשבון נחסם סיסמה סיסמא עדכן עדכנו אבטחה netflix paypal amazon apple bank banco
    banque sparkasse בנק
    """,
    "spamparcel": """
    parcel package customs fee redelivery address incomplete paket sendung zoll zollgebühr zustellung unvollständig paquete envío aduana
    tasa dirección reparto colis douane frais adresse livraison incomplète חבילה מכס דמי משלוח כתובת dpd dhl ups fedex usps gls hermes
    correos chronopost colissimo
    """,
    "spaminherit": """
    inheritance heir heirs will million millions beneficiary widow deathbed fund transfer barrister erbe erben erbschaft nachlass
    millionen begünstigt* witwe sterbebett notar herencia herederos millón millones beneficiari* viuda notario héritage héritier*
    million* bénéficiaire veuve notaire ירושה יורש* מיליון אלמנה consignment diplomat god gott dios dieu christ
    """,
    "spamfollowers": """
    followers likes views subscribers seo backlinks ranking traffic downloads promote promotion growth viral google instagram tiktok
    youtube spotify playlist abonnenten reichweite suchmaschine* platzierung seguidores visitas posicion* crecimiento abonnés vues
    référencement visibilité croissance עוקבים לייקים צפיות קידום אורגני גוגל חשיפה
    """,
    "spamdating": """
    singles dating lonely sexy hot nude cam webcam girls women mature chat solteras citas chicas mujeres maduras caliente célibataires
    rencontres femmes coquines chaudes frauen einsame heiß heiße reife בחורות רווקות היכרויות נשים massage escort
    """,
    "spamhealth": """
    miracle lose weight slim diet hair growth pills cure wrinkles pain detox keto abnehmen kilo haarausfall wunder* schlank falten
    gelenk* adelgaza* kilos milagro* cabello injerto capilar dieta arrugas maigrir perdez cheveux rides régime ventre לרזות קילו שיער נס
    תוסף קמטים joint potency erection potenz
    """,
    "spamloan": """
    loan loans debt debts credit schufa refinance kredit* schulden umschuldung darlehen sofortkredit préstamo* deuda* crédito* aval
    prêt* dette* crédit* rachat הלוואה הלוואות חוב חובות אשראי
    """,
    "spamcasino": """
    casino slots spins bet betting jackpot bonus deposit poker lottery win winner winners prize draw freispiele wetten einzahlung
    gewonnen gewinn gewinnspiel apuesta* tragaperras bono depósito ganado premio sorteo pari* machines mise tirage gagné* gagnant lot
    קזינו הימורים בונוס זכית זכייה פרס הגרלה
    """,
    "spamblackmail": """
    recorded webcam video leaked leak contacts pay hacked kontakte zahlen sonst grabado espío contactos filmado difundir enregistré*
    circule famille diffus* effacez צילמנו הקלטנו נפיץ
    """,
    "spamchain": """
    forward share contacts luck curse weiterleiten weitersenden kette glück fluch reenvía reenvia cadena suerte maldición transfér*
    transmets chaîne chance malheur שרשרת העבר ברכה ישועה mazal נענש*
    """,
    "spamreplica": """
    replica rolex gucci designer bags watches outlet cheap wholesale nachbau replik billig höchstpreise ankauf pelze zinn réplica*
    relojes bolsos liquidación répliques montres sacs déstock* soldes חיקוי שעונים תיקים מותגים
    """,
    "spamimpersonate": """
    mum mom dad mama papa mamá papá maman new number phone lost broken neue nummer handy kaputt nuevo número móvil roto nouveau numéro
    portable cassé מספר חדש טלפון נשבר transfer überweis* transferencia bizum virement העברה whatsapp
    """,
    "spammanufacturer": """
    manufacturer factory supplier quality catalogue moq export hersteller fabrik qualität katalog fábrica calidad catálogo proveedor
    fabricant usine qualité fournisseur מפעל ספק איכות קטלוג china shenzhen
    """,
    "spamgov": """
    refund government tax benefit grant subsidy scheme payout insulation solar pension rückerstattung nachzahlung förderung staat
    zuschuss beihilfe rente reembolso ayuda estado subvención devolución pensión placas remboursement aide état cpf isolation prime החזר
    מענק ממשלה זכאי* פנסיה ampli vitale impuestos
    """,
    "spamcall": """
    click reply text register claim join link here limited offer only today last spots klick* antworten anmelden hier angebot nur plätze
    restposten bestand responde manda regístrate aquí oferta solo últimas plazas unidades cliquez répondez envoyez inscrivez ici offre
    seulement dernières places לחצו לחץ השיבו הירשמו כאן מבצע רק אחרונים קישור whatsapp telegram free gratis kostenlos gratuit* חינם
    code promo
    """,
    "spammlm": """
    network business boss mentor coach opportunity freedom netzwerk geschäftsmodell freiheit finanziell* chef libertad financiera
    oportunidad negocio liberté financière opportunité indépendan* חופש כלכלי הזדמנות עסקית
    """,
    "tech2": """
    linux ubuntu debian kernel grub boot bios driver drivers gpu usb hdmi wifi router dns dhcp ip port ssh sudo apt snap bash shell
    terminal docker container nginx apache mysql postgres sql query join index table python java javascript node npm eslint cargo rust
    gcc make cmake git commit branch merge rebase repo pull api json xml yaml regex cron log logs debug config cache proxy vpn server
    client localhost permission* chmod fstab mount partition disk raid swap cpu ram thread mutex segfault exception stack null pointer
    compile compiler build lint test tests ci deploy staging version patch update upgrade install package module library dependency
    binary kernelmodul treiber datei ordner verzeichnis befehl konsole rechte skript festplatte paketquelle quelltext zeile controlador
    archivo carpeta directorio comando consola permisos disco paquete biblioteca rama compilar instala pilote fichier dossier répertoire
    commande console droits disque paquet dépôt bibliothèque branche script מודול קובץ תיקייה פקודה הרשאות דיסק חבילה ספריה ענף שרת פורט
    סקריפט לוגים קומפיל* הגדרות virtualbox wine vim emacs tmux systemd journalctl lsof dkms mesa ppa iso sha256 md5 uefi flag stdout
    """,
    "techverb": """
    try reboot restart reinstall run check recompile probier versuch starte neustarten prüf schau prueba reinicia mira comprueba essaie
    redémarre relance vérifie regarde תנסה תנסי תבדוק תבדקי תריץ works läuft geht funktioniert funciona marche fonctionne עובד error
    fehler fehlermeldung erreur שגיאה
    """,
    "photolink": """
    photos pictures pics album uploaded fotos bilder hochgeladen subí subo álbum nube images תמונות העליתי אלבום https http
    """,
    "parcel2": """
    parcel package postman courier depot paket päckchen postbote abholschein paketshop paquete repartidor mensajero correos colis
    facteur relais livreur חבילה דוור שליח דואר delivered arrived geliefert angekommen zugestellt llegado entregado livré arrivé הגיע*
    """,
    "food": """
    dinner lunch breakfast soup cake coffee pizza milk bread cheese pasta rice wine beer tea egg eggs salad chicken fish cookies
    abendessen frühstück suppe kuchen kaffee milch brot käse nudeln wein bier ei eier salat huhn kekse knödel eis cena comida desayuno
    sopa tarta café leche pan queso vino cerveza huevos ensalada pollo galletas helado tortilla dîner déjeuner soupe gâteau lait pain
    fromage pâtes vin bière œufs salade poulet biscuits glace ארוחה מרק עוגה קפה חלב לחם גבינה פסטה יין בירה ביצים סלט עוף עוגיות גלידה
    חומוס פלאפל cook cooking kochen cocinar cuisiner לבשל eat essen comer manger לאכול
    """,
    "household": """
    keys key sofa lamp curtain laundry dishes bin rubbish vacuum garden plants kitchen bathroom cellar attic drawer fridge schlüssel
    lampe vorhang wäsche geschirr müll staubsauger garten pflanzen küche bad dachboden schublade kühlschrank llaves sofá lámpara cortina
    colada platos basura aspiradora jardín plantas cocina baño cajón nevera clés canapé rideau lessive vaisselle poubelle jardin plantes
    cuisine salle tiroir frigo מפתחות ספה מנורה וילון כביסה כלים זבל שואב גינה עציצים מטבח מגירה מקרר
    """,
    "weather": """
    weather rain snow sun wind cold warm hot cloudy wetter regen schnee sonne kalt heiß wolken nebel tiempo lluvia nieve sol frío calor
    météo pluie neige soleil froid chaud brouillard מזג גשם שלג שמש קר חם רוח
    """,
    "transport": """
    bus train tram metro bike car parking traffic lift station bahn zug fahrrad auto parkplatz stau bahnhof straßenbahn autobús tren
    coche bici atasco estación aparcamiento métro vélo voiture bouchon gare covoit* אוטובוס רכבת אופניים אוטו חניה פקק תחנה פקקים
    """,
    "healthroutine": """
    doctor dentist physio checkup appointment vaccine glasses arzt zahnarzt kontrolle blutwerte impfung brille médico dentista revisión
    análisis vacuna gafas médecin docteur dentiste contrôle analyses vaccin lunettes tension רופא שיניים בדיקה בדיקות חיסון משקפיים
    """,
    "privatemoney": """
    bank account card loan mortgage rent tax insurance lottery salary konto karte kredit miete steuer versicherung lotto gehalt
    bausparer sparkasse banco cuenta tarjeta hipoteca alquiler seguro sueldo nómina lotería banque compte carte crédit loyer assurance
    salaire loto בנק חשבון כרטיס משכנתא ביטוח משכורת
    """,
    "schoolwork": """
    homework exam exams lesson meeting essay hausaufgaben prüfung klausur elternabend referat deberes examen exámenes reunión devoirs
    contrôle partiel réunion מבחן מבחנים עבודה אסיפה
    """,
    "workchat": """
    boss office colleague shift meeting mail email chef büro kollege kollegin schicht jefe oficina compañer* turno reunión correo patron
    bureau collègue réunion בוס משרד קולגה משמרת ישיבה מייל holiday vacation leave urlaub vacaciones vacances congés חופשה
    """,
    "leisure": """
    match game team goal cinema film concert ticket tickets party pub beach hike swim camping spiel mannschaft tor kino karten feier
    kneipe strand wandern schwimmen partido equipo gol cine entrada entradas fiesta playa piscina senderismo équipe but ciné billets
    fête plage rando piscine משחק קבוצה גול קולנוע כרטיסים מסיבה חוף טיול בריכה
    """,
    "feelings": """
    sorry hurt miss proud lonely sad grateful hug hold verletzt vermisse stolz traurig einsam umarm* siento dolido extraño orgullos*
    triste abrazo désolé* blessé* manque* fier fière câlin מצטער* נפגעתי מתגעגע גאה עצוב חיבוק pain schmerz forgive verzeih perdona
    pardonne tired müde cansad* fatigué* עייפ*
    """,
    "jokes": """
    haha lol lmao joke kidding rofl hihi witz jaja jajaja broma mdr ptdr blague חחח חחחח צוחק
    """,
    "plansocial": """
    see meet later come bring cook tonight sehen treffen später kommst mitbringen nachher vemos quedamos luego vienes trae voit retrouve
    tard viens amène נפגש ניפגש מביא
    """,
    "gotluck": """
    won got accepted passed hired pregnant engaged house job gewonnen bekommen angenommen bestanden schwanger verlobt zusage aprobado
    aceptad* embarazad* piso adopción reçu pris admis enceinte fiancé* réussi permis התקבלתי עברתי בהריון התארסנו זכיתי
    """,
    "rebuke": """
    ignore* lied insulted hurts hearing golf ignorierst gelogen verletzend ignoras mentiste duele dolido ignores menti blessant שיקרת
    מתעלם פגעת פוגע
    """,
    "groan": """
    again ugh annoying boring rubbish shift noise nervt blöd lärm mist rollo asco ruido pesado encore marre bof bruit relou שוב נמאס
    מעצבן רעש
    """,
  ]
}
