extension Concepts {
  /// The subjects of messages about work, money and goods.
  static let business: [String: String] = [
    "weare": """
    we're wir sind somos nous sommes אנחנו unser unsere unserer unserem unseren unseres nuestro nuestra nuestros nuestras notre nos שלנו
    our
    """,
    "orgschool": """
    school university college academy class pupils students teacher* kindergarten schule hochschule universität uni gymnasium
    volkshochschule klasse schüler* lehrer* escuela colegio instituto universidad ampa alumnos profesor* école lycée collège université
    fac élèves enseignant* professeur* אוניברסיט* מכללה תלמידים תלמיד מורה מורות מורים
    """,
    "orgculture": """
    museum gallery library archive theatre theater opera orchestra choir festival galerie bibliothek bücherei stadtbücherei archiv oper
    orchester chor festspiele museo galería biblioteca teatro ópera orquesta musée bibliothèque médiathèque théâtre opéra orchestre
    מוזיאון גלריה ספרייה ספריה תיאטרון תזמורת פסטיבל
    """,
    "orgpublisher": """
    publisher publishing magazine newspaper editor editorial press broadcaster radio tv television channel verlag zeitschrift zeitung
    redaktion lektorat rundfunk sender fernsehen revista periódico redacción cadena televisión éditeur éditions journal rédaction chaîne
    télé הוצאה עיתון מגזין מערכת עורכ* רדיו טלוויזיה ערוץ label plattenfirma
    """,
    "orgbrand": """
    brand company firm startup agency manufacturer maker studio marke unternehmen firma agentur hersteller betrieb werkstatt marca
    empresa agencia fabricante compañía marque entreprise société agence fabricant atelier מותג חברה סוכנות יצרן מפעל סטודיו
    """,
    "orgfood": """
    restaurant bakery café cafe bar bistro brewery winery hotel hostel catering caterer bäckerei brauerei weingut gasthaus gaststätte
    kneipe panadería cafetería bodega cervecería boulangerie brasserie auberge hôtel traiteur מסעדה מאפייה קפה בר מלון מבשלה
    """,
    "orgpublic": """
    council municipality city town ministry authority chamber stadt gemeinde amt finanzamt behörde landratsamt kammer ministerium
    ayuntamiento ministerio hacienda cámara mairie commune ministère préfecture impôts urssaf chambre עירייה משרד רשות
    """,
    "orgngo": """
    charity association club foundation nonprofit church parish verein stiftung kirche gemeinde förderverein asociación fundación
    parroquia ong fondation paroisse mutuelle עמותה קרן מועדון hospice hospiz pflegeheim seniorenheim residencia ehpad
    """,
    "orgshop": """
    shop store boutique retailer wholesale distributor laden geschäft händler großhändler einzelhandel tienda comercio distribuidor*
    mayorista magasin détaillant grossiste חנות סיטונאי משווק buchhandlung librería librairie bookshop
    """,
    "iam": """
    i'm ich soy je suis אני name heiße llamo m'appelle שמי write schreibe escribo écris כותב* מטעם behalf auftrag nombre part student
    studentin journalist* investigador* étudiant* masterarbeit thesis tesis mémoire bachelorarbeit doctoral phd תזה
    """,
    "wouldlike": """
    would like möchten würden wollen gerne querríamos quisiéramos gustaría queremos buscamos aimerions souhaitons voudrions cherchons
    היינו מעוניינ* נשמח רוצים מחפש* looking seeking search suchen suche busco cherche need brauchen necesitamos besoin צריכים
    """,
    "wouldyou": """
    would could können könnten würden könntest dürfte dürften podría podrían podrías podríais puede pueden pourriez pourrait pouvez
    serait accepter* תוכל* אפשר האם possible möglich posible envisageable אפשרי interested interesse interesa interesados intéress*
    מעניין לעניין willing bereit dispuest* available verfügbar disponible* libre frei פנוי* zeit
    """,
    "workshop": """
    workshop course class seminar training lecture talk keynote panel reading lesung vortrag kurs fortbildung taller charla ponencia
    curso clase masterclass lectura conférence atelier stage formation rencontre* intervention סדנה סדנא הרצאה קורס השתלמות מפגש
    """,
    "wedding": """
    wedding marriage anniversary party funeral baptism hochzeit trauung jubiläum feier taufe firmenfeier boda aniversario bautizo
    comunión mariage anniversaire baptême fête חתונה חתונת אירוע
    """,
    "fairmarket": """
    fair market stand stall booth exhibition messe markt messestand ausstellung feria mercado puesto exposición salon marché exposition
    foire יריד שוק דוכן תערוכה congress kongress congreso congrès conference konferenz tagung כנס convention
    """,
    "commission": """
    commission* order custom bespoke mural illustration illustrat* portrait logo design cover poster drawing watercolour jingle
    voiceover sound score auftrag auftragsarbeit wandbild illustration* porträt entwurf gestalt* titelbild sprecher* stimme vertonung
    encargo ilustraci* retrato diseño portada locución fresque illustrer aquarelle* couverture commande איור* לאייר דיוקן לוגו עיצוב
    כריכה קריינות
    """,
    "translatework": """
    translate translation subtitle* proofread* edit transcribe übersetz* untertitel* lektor* korrektur* traduc* subtítul* correg*
    tradui* relecture לתרגם תרגום כתוביות הגהה
    """,
    "photoshoot": """
    photograph* shoot shooting film filming fotograf* dreh dreharbeiten drehtag fotos fotografía rodaje sesión photographe tournage
    צילום צלם לצלם צילומים
    """,
    "performance": """
    perform gig concert booking set band musician auftritt konzert spielen musiker actuación concierto actuar tocar jouer scène groupe
    הופעה להופיע להקה dj
    """,
    "quantity": """
    pieces copies units items bottles boxes jars tickets pages words keys stück exemplare flaschen kisten gläser seiten wörter unidades
    ejemplares botellas cajas frascos páginas palabras exemplaires pièces bouteilles caisses pots mots יחידות עותקים בקבוקים קופסאות
    עמודים מילים each pièce pieza dozen dutzend docena douzaine תריסר
    """,
    "peoplecount": """
    people guests participants attendees kids children employees staff personen leute gäste teilnehmer* kinder mitarbeiter* personas
    invitados asistentes niños empleados personnes convives enfants salariés employés אנשים משתתפים ילדים עובדים איש
    """,
    "days": """
    day days evening afternoon tag tage abend nachmittag día días tarde jour jours journée soirée יום ימים ערב
    """,
    "fee": """
    fee budget honorarium pay payment paid flat rate honorar gage vergütung pauschal* bezahlung honorarios presupuesto caché remuneraci*
    pago pagamos tarifa cachet rémunér* forfait défraiement honoraires תקציב שכר תשלום תמורה נשלם מקדמה advance vorschuss anticipo
    avance
    """,
    "currency": """
    euro euros eur dollar dollars usd pounds gbp francs franken chf pesos shekel* nis שקל שקלים אירו יורו דולר grand mille mil tausend
    אלף
    """,
    "travel": """
    travel expenses flights accommodation hotel reisekosten fahrtkosten spesen unterkunft anreise übernachtung viaje dietas gastos
    alojamiento desplazamiento déplacement frais voyage hébergement נסיעות הוצאות לינה plus zuzüglich más
    """,
    "contract": """
    contract agreement clause lawyers lawyer solicitor terms vertrag verträge vereinbarung klausel anwalt anwälte anwältin notar
    notariell contrato acuerdo cláusula abogad* notario contrat accord avocat* notaire חוזה הסכם סעיף עורכ* נוטריון final letzte version
    endfassung definitiv* définitive finale סופי* הסופי
    """,
    "rights": """
    rights licence license licensing royalties option exclusive franchise rechte lizenz tantiemen exklusiv* derechos licencia regalías
    opción exclusiv* droits redevances exclusivité זכויות רישיון תמלוגים אופציה בלעדיות merchandising adaptation verfilmung adaptación
    עיבוד
    """,
    "signready": """
    signature sign signed countersign initial docusign unterschrift unterschreiben unterzeichn* gegenzeichn* firma firmar rúbrica
    firmado signer paraphe* parapher חתימה לחתום חתימתך חתומים agreed einig vereinbart acordado convenu מוסכם סוכם ready bereit listo
    prêt מוכן remaining fehlt falta manque חסר*
    """,
    "series": """
    series campaign season annual serie kampagne staffel mehrjährig langfristig jahresvertrag campaña temporada anual série saison
    annuel* campagne pluriannuel סדרה קמפיין עונה שנתי monthly monatlich mensual* mensuel* חודשי ambassador botschafter* embajador*
    ambassad*
    """,
    "invest": """
    invest stake share equity acquire fund beteilig* anteil übernahme kapital participación adquirir inversión fondos parts acquisition
    rachat capital השקעה מניות לרכוש רכישה
    """,
    "invoice": """
    invoice invoices receipt bill vat rechnung* quittung beleg gutschrift mwst lieferschein* factura* recibo* albarán albaranes iva
    abono facture* reçu avoir tva bon חשבונית* קבלה iban kontodaten
    """,
    "overdue": """
    overdue unpaid outstanding late reminder mahnung überfällig offen ausstehend säumig pendiente impag* vencid* retraso impayé* relance
    retard פיגור חוב באיחור
    """,
    "taxdoc": """
    tax form declaration certificate insurance w8 steuer* formular bescheinigung erklärung versicherung freistellung impuesto*
    declaración certificado seguro modelo formulario impôt* déclaration attestation assurance formulaire מס טופס הצהרה אישור ביטוח ניכוי
    """,
    "notice": """
    notice note hereby inform confirm registered recorded enclosed attached hinweis hiermit bestätigen mitteil* eingegangen anbei
    beigefügt registrado registrada comunic* inform* adjunt* queda constancia confirmamos informons confirmons enregistré* joint joindre
    הודעה מצורפ* לידיעת* נרשמה התקבל* נקלט* statement report monthly quarterly bericht abrechnung informe rapport relevé דוח newsletter
    boletín lettre
    """,
    "meeting": """
    meeting minutes agenda assembly members sitzung protokoll mitgliederversammlung tagesordnung reunión acta asamblea socios réunion
    assemblée membres ישיבה פרוטוקול אסיפה
    """,
    "moved": """
    moved address closed opening portal adresse umzug umgezogen neue geschlossen dirección cambiado traslad* cerrad* changé déménag*
    fermé* כתובת עברנו שונה סגור
    """,
    "refusal": """
    unfortunately regret sorry decline rejected unable however leider bedauern absage ablehnen abgelehnt lamentamos desgraciadamente
    desafortunadamente rechaz* malheureusement regret* refus* décliner suite לצערנו לצערי נאלצים דחינו another chosen anderen
    entschieden otro elegido autre retenu אחר בחרנו grant förderung subvención subvention מענק
    """,
    "dispute": """
    revise redo fix again unacceptable delivered agreed missing wrong nachbessern überarbeiten nochmals vereinbart mängel abnahme rehac*
    corregir acordado entregad* refaire corriger convenu livré לתקן שוב סוכם certification qa spec briefing brief
    """,
    "exchange": """
    exchange barter unpaid free exposure collaboration tausch kostenlos unbezahlt kooperation intercambio gratis colaborar colaboración
    échange bénévole* gratuit collaborer partenariat חילופי
    """,
    "interview": """
    interview interviewed podcast guest questions interviewen gast befragen entrevista* invitad* entretien interview* invité* ראיון
    לראיין להתארח אורח* survey umfrage encuesta enquête
    """,
    "internship": """
    internship apprentice* job application cv praktikum praktikant* bewerb* lehre prácticas becari* aprendiz candidatura stage stagiaire
    apprenti* candidature התמחות מתמחה התלמד*
    """,
    "donate": """
    donate donation auction raffle charity spende* spenden versteigerung tombola donar donación subasta rifa don enchères תרומה לתרום
    """,
    "rental": """
    rent hire rental mieten vermieten leihen miete alquil* louer location loue להשכיר שכירות לשכור studio rehearsal probenraum proberaum
    sala local salle חדר אולם
    """,
    "wholesale": """
    wholesale resale commission retailers consignment wiederverkäufer händlerrabatt kommission mayor revendedor* comisión depósito
    revend* gros סיטונאי עמלה קונסיגנציה
    """,
    "politegreet": """
    dear hello guten tag sehr geehrte grüß buenas buenos estimad* bonjour bonsoir madame monsieur שלום רב regards freundlichen grüßen
    saludos cordial* cordialement בברכה sincerely
    """,
    "formalyou": """
    ihnen ihre ihrer ihrem ihren ihr usted ustedes vous votre vos le les su sus sie
    """,
    "opening": """
    open opened opens opening hours close closes closed öffnungszeiten geöffnet offen schließt feiertag* abiert* abre abren abrís
    cerráis cierra horario* festivo* ouvert* ouvre fermez ferme fermé* horaires férié* פתוח* פותח* סוגר* חג holiday holidays public
    weekdays wochentags
    """,
    "lesson2": """
    lesson lessons teach teaching tuition pupil beginner private unterricht* unterrichten stunden einzelstunde* privat* anfänger*
    neuling lernen clases clase particular* enseñ* principiante* aprender individual cours leçon* enseign* débutant* apprendre
    individuel* particuliers שיעור שיעורים ללמוד ללמד מתחיל* פרטי* חוג חוגים
    """,
    "bookslot": """
    book booking slot place spot reserve register appointment buchen buchung platz plätze reservier* anmeld* eintragen termin* reserv*
    plaza* hueco apuntar* cita inscrib* réserv* places créneau inscri* rdv לשריין להזמין מקום תור להירשם פנוי
    """,
    "refund2": """
    refund return returns exchange replacement rückgabe zurückgeben zurückschicken umtausch umtauschen erstatt* ersatz devolver devuelv*
    devolución reembols* cambiar recuperar rembours* renvoyer échang* retour להחזיר החזר להחליף זיכוי כספי
    """,
    "defect": """
    broken cracked damaged torn scratched warped leaking faulty chipped dented kaputt gesprungen riss beschädigt verkratzt defekt
    undicht doppelt fehlt fehlen rot* rota rajad* dañad* defectuos* rasgad* faltan cassé* fêlé* abîmé* rayé* défectueu* déchiré* manque
    שבור* סדוק* פגום* נוזל דולף קרוע חסרים arrived came kam ankam angekommen llegó vino arrivé reçu הגיע קיבלתי
    """,
    "rates2": """
    charge rate rates price cost quote preis preise kosten kostet verlangen nehmt nehmen tarif* angebot precio precios cobra* cobráis
    tarifa* cuesta presupuesto prix coûte demandez prenez devis combien cuánto wieviel כמה מחיר* עולה תעריף* גובים sponsored gesponsert
    patrocinad* sponsorisé* ממומן advert spot anzeige werbung anuncio publicidad publicité annonce תשדיר פרסומת mention post beitrag
    """,
    "shipping2": """
    ship shipping deliver delivery postage abroad send versand versenden liefern lieferung ausland schicken porto envío envíos enviar
    mandáis enviáis entrega extranjero livrer livraison expédi* envoyer étranger port משלוח לשלוח שולחים
    """,
    "merch2": """
    shirt hoodie mug poster print postcard sticker tote apron badge calendar vinyl cap scarf tasse druck postkarte aufkleber beutel
    schürze kalender mütze platte camiseta taza lámina postal pegatina bolsa delantal chapa calendario sudadera affiche carte
    autocollant sac tablier calendrier sweat חולצה ספל הדפס גלויה מדבקה תיק סינר לוח merch
    """,
    "buywhere": """
    buy purchase sell selling sale kaufen verkauf* bekomm* gibt's erhältlich kriegen comprar compro vende* vendéis conseguir pillar
    dónde acheter vend* trouve procur* où לקנות מוכר* להשיג איפה where wo
    """,
    "camera2": """
    camera webcam lens phone rig filming shoot record kamera objektiv filmst filmt drehst aufnimmst graba* grabas cámara objetivo filmas
    móvil filmes filmez caméra tournes objectif appareil מצלמ* לצלם עדשה
    """,
    "music2": """
    song music track tune melody soundtrack intro outro background lied musik stück melodie titel abspann canción música tema melodía
    guitarrita suena tono chanson musique morceau mélodie générique air שיר מוזיקה מנגינה פתיח רקע called heißt llama s'appelle
    """,
    "schedule2": """
    upload release publish episodes next new often veröffentlich* hochladen erscheint neue folge nächste subes publicas sale sacas
    próximo nuevo capítulo cada publies sort sortent sors prochain épisode פרק חדש מעלה יוצא מתי עולה when wann cuándo quand abstand
    """,
  ]
}
