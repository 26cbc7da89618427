extension Concepts {
  /// The words of the lexicon in German, Spanish, French and Hebrew, for the same concepts as in English.
  static let otherLanguages: [[String: String]] = [german, spanish, french, hebrew]

  private static let german: [String: String] = [
    "works": """
    video* folge* kanal* stream* lied* songtext* album* tutorial* anleitung* film* podcast* sendung* staffel* beitrag beiträge
    buch bücher roman* gedicht* rezept* kurs* hörbuch* zeichnung* bild* konzert* auftritt* tour tournee merch* kapuzenpulli*
    tasse tassen stimme schnitt melodie* hörspiel* newsletter* artikel* musik kunst werk werke illustration* comic*
    """,
    "audience": """
    fan fans abonn* abo folge* zuhör* zuschau* zuschauer* hörer* leser* leserin* community mitglied* autogramm* signier*
    verlosung* inspirier* vorbild* grüße kommentar* geschaut gehört gelesen angeschaut schaue höre
    """,
    "praise": """
    liebe lieben toll tolle tolles super großartig* wunderschön* wunderbar* klasse genial* fantastisch* herrlich* perfekt*
    lieblings* best* beste schön schöne schönes danke dank dankbar stolz begeistert* gänsehaut geweint tränen freu* freue
    lachen gelacht hammer mega spitze gelungen* bezaubernd* glücklich gut gute guter gutes prima
    """,
    "complaint": """
    enttäusch* schlecht* schlimm* langweil* nerv* ärger* wütend sauer traurig* schade leider kaputt* fehl* mist blöd* doof
    unfair furchtbar* schrecklich* katastroph* unverschämt* verloren krank müde einsam* gestorben beschwer* reklam* mangelhaft*
    verspätet* beschädigt* defekt* stört unzufrieden* frech* peinlich* scheiß* scheiße kotz* satt vermisse
    """,
    "company": """
    firma firmen kunde kunden kundin agentur marke marken team gmbh unternehmen betrieb* geschäft* büro laden läden restaurant
    bäckerei verlag* galerie museum universität hochschule schule verein* theater sender stadt gemeinde amt behörde* abteilung
    lieferant* händler* partner* bibliothek journalist* anwalt anwältin steuerberater* kanzlei marketing vertrieb redaktion*
    hersteller* praxis hotel* stiftung* messe veranstalter* produzent*
    """,
    "deal": """
    sponsor* zusammenarbeit kooperation* vertrag* verträge vereinbarung* budget* angebot* honorar* gage preis* preise preisliste
    rechnung* zahlung* bezahl* lizenz* provision* kampagne* entwurf entwürfe frist* auftrag* aufträge bestell* bestellung*
    rabatt* buchen buchung* werbung anzeige* projekt* workshop* vortrag* auftritt* hochzeit* dreh* shooting* interview* moderat*
    kosten* stückzahl* konditionen tagessatz anfrage* beauftrag* ausschreibung* kalkul* kostenvoranschlag* übersetz*
    """,
    "paperwork": """
    rechnung* anhang beleg* mwst umsatzsteuer* steuer* formular* unterschrift unterschreib* unterschrieb* unterlagen
    versicherung* bescheinigung* konto kontoauszug mahnung* erinnerung bestätig* agb kündig* mitgliedsbeitrag protokoll*
    aktenzeichen gutschrift* iban bankverbindung quittung* kundennummer beiliegend*
    """,
    "money":
      "euro euros eur geld franken chf preis kosten kostet zahlen gezahlt honorar prozent gebühr* gratis kostenlos* billig* teuer*",
    "hurry": """
    jetzt sofort* dringend* eilig* eilt schnell* schnellstmöglich umgehend* gleich heute minute* minuten stunde* stunden bald
    frist* mitternacht mittag letzte* notfall* bitte warten warte beeil* sonst spätestens rasch unverzüglich
    """,
    "emergency": """
    krankenhaus notarzt krankenwagen rettung* arzt polizei feuer* brand brennt rauch* qualm* gas flut* wasser* rohrbruch
    überschwemm* unfall* notfall* alarm* gestürzt verletzt* fieber* blut* operation* op gestohlen geklaut gehackt
    eingebrochen* einbruch* ausgesperrt stecken angst gefahr* hilfe allerg* bewusstlos* schmerz* tablette* medikament*
    vergift* abgeschleppt panne sturm atmet notaufnahme ohnmächtig heizung strom stromausfall leck tropft schlüsseldienst
    verschwunden vermisst
    """,
    "outage": """
    ausgefallen server* absturz abgestürzt fehler* offline datenbank* festplatte* login passwort kaputt gesperrt down geht
    funktioniert läuft streikt ausfall* störung* system kasse
    """,
    "demand": """
    ruf rufe brauche brauchen muss müssen bitte antworte* antwort bestätige* komm kommt hol bring bringt hilf hilfe sag
    schick schickt unterschreib melde meld geh klär*
    """,
    "prize": """
    gewonnen gewinn* gewinner* preis jackpot lotterie* lotto belohn* geschenk* glückwunsch* ausgewählt ausgelost glück* gratis
    kostenlos* bonus* gutschein* verlos* prämie*
    """,
    "scheme": """
    bitcoin* krypto* invest* rendite* gewinn* passiv* einkommen nebenverdienst* trading trader* kredit* schufa darlehen erbschaft
    witwe million* garantiert* verdien* casino* wette* wallet* depot* finanz* broker* reich nebenjob heimarbeit
    """,
    "phishing": """
    verifizier* bestätig* konto* gesperrt* sperrung* einschränk* passwort anmeld* login karte kreditkarte* tan pin iban sicherheit*
    aktualisier* klick* link hier identität* zoll zollgebühr* paket* sendung* virus* inkasso* frist* ungewöhnlich* entsperr*
    zugangsdaten
    """,
    "bulk": """
    seo backlink* ranking google follower* likes abonnenten kaufen potenz* abnehmen diät* nachahm* replica* rabatt* billigst*
    angebot* aktion* sale versand singles partnersuche sexy heiß* nackt* abmelden abbestellen damen herren geehrte* günstig*
    webdesign suchmaschin* telegram whatsapp wundermittel* kostenloser
    """,
    "home": """
    abendessen mittagessen frühstück suppe kuchen kaffee pizza milch tee bus bahn zug tram auto fahrrad fahren spazier* haus
    wohnung küche garten bad keller treppe kinder schule hausaufgaben prüfung klasse mama papa mutter vater oma opa schwester
    bruder nichte neffe cousin* tante onkel frau mann nachbar* vermieter* katze hund schlüssel tür wlan handy wochenende
    urlaub geburtstag* feier party chor kino kneipe film spiel zahnarzt wetter regen müll wäsche blumen sofa tisch lampe
    flug einkauf* brot kita grillen
    """,
    "plan": """
    morgen montag dienstag mittwoch donnerstag freitag samstag sonntag woche wochenende nachmittag abend abends früh später
    treffen sehen kommen kommst komme bringen frei kalender zeit uhr juli august september oktober november dezember januar
    februar märz april mai juni nächste übermorgen
    """,
    "talk":
      "ja nein ok okay doch hallo hi hey tschüss danke klar vielleicht genau sorry naja ach hm haha moin servus lg gern passt stimmt",
    "tech": """
    linux kernel terminal installier* installation paket* treiber* grafikkarte* drucker* rechner* laptop* datei* ordner* befehl*
    version* update* neustart* neu starten code branch* commit* compiler* test* log logs usb kabel* bildschirm* partition*
    router* skript* variable* funktion* fehlermeldung* docker* python java
    """,
    "self": "ich mich mir mein meine meinen meinem meiner",
    "we": "wir uns unser unsere unseren unserem unserer",
    "you": "du dich dir dein deine deinen deinem deiner sie ihnen ihr ihre ihren ihrem euch euer eure",
    "they": "er sie ihn ihm ihr man",
    "ask": "was wer wen wem wann wo wohin woher warum wieso weshalb wie welche welcher welches welchen wieviel",
    "can":
      "kann kannst können könnten könnte könntest würde würden würdest darf dürfen soll sollen möchte möchten will wollen",
    "calm": """
    eile zeit gemütlich ruhe irgendwann gelegentlich gelegenheit nebenbei erledigt gelöst geklappt entspannt stress egal wichtig
    schlimm nachher entwarnung
    """,
    "reminder": "vergiss erinner* denk* merk* erinnerung termin* vormerken notier* merkzettel",
    "parcel":
      "paket* päckchen sendung* lieferung* geliefert zustell* abholstation packstation post dhl hermes kurier* nachbarn",
    "warm": "liebe lieber lieb* kuss küsse drück* umarm* schatz süße* herz herzlich* freund* freundin* bussi",
    "not": "nicht kein keine keinen nie niemand nichts ohne",
  ]

  private static let spanish: [String: String] = [
    "works": """
    vídeo* video* episodio* capítulo* canal* directo* stream* canción canciones álbum disco* tutorial* película* peli corto*
    podcast* serie* temporada* libro* novela* poema* receta* curso* dibujo* cuadro* concierto* gira merch camiseta* sudadera*
    taza* voz edición melodía* boletín artículo* música blog ilustraci* cómic* portada letra
    """,
    "audience": """
    fan fans suscri* sigo seguidor* seguimos oyente* espectador* lector* comunidad miembro* autógrafo* firma sorteo* inspir*
    admir* ídolo saludos comentario* visto escuch* leído viendo
    """,
    "praise": """
    encant* amo amé increíble* genial* maravill* fantástic* precios* hermos* excelente* perfect* mejor mejores favorit* gracias
    graci* agradec* orgullos* bonit* buen* bueno buena llor* lágrimas emocion* felicid* enhorabuena feliz divert* top crack brutal
    linda lindo gusta gustó gustaron preciosa alegr*
    """,
    "complaint": """
    decepcion* mal mala malo peor aburr* molest* enfad* furios* triste* pena lástima roto rota fallo falla error* asco injust*
    horrible* terrible* vergüenza perdido enferm* cansad* sol* muri* queja* reclam* dañad* retras* lent* nunca pésim* fatal harto
    harta extraño dolor
    """,
    "company": """
    empresa* cliente* clienta agencia* marca* equipo negocio* oficina* tienda* restaurante* panadería editorial galería museo
    universidad escuela colegio asociación teatro ayuntamiento departamento proveedor* distribuidor* soci* biblioteca periodista*
    abogad* gestor* gestoría asesor* marketing ventas redacción productora* festival* estudio hotel* fundación feria clínica
    """,
    "deal": """
    patrocin* colabor* contrato* acuerdo* presupuesto* oferta* propuesta* tarifa* honorarios precio* factura* pago* pagar pagamos
    licencia* comisi* campaña* borrador* plazo* encargo* encarg* pedido* descuento* reserva* reservar contratar publicidad anuncio*
    proyecto* taller* charla* ponencia* conferencia boda* sesión rodaje* entrevista* condiciones coste* unidades cotiz* traduc*
    """,
    "paperwork": """
    factura* adjunt* recibo* iva impuesto* formulario* firma firmad* firmar documento* seguro certificado* cuenta justificante*
    recordatorio renov* cuota acta* referencia iban nif transferencia confirm* vencimiento vence albarán
    """,
    "money":
      "euro euros dólar* pesos dinero cuesta cuestan precio pagar pagado tarifa ciento comisión gratis barat* car* vale",
    "hurry": """
    ahora ya urgente* urgencia inmediat* rápid* corre corriendo cuanto antes prisa hoy minuto* hora horas pronto plazo* medianoche
    último última emergencia* favor espera esperar enseguida mismo antes cierra
    """,
    "emergency": """
    hospital ambulancia médic* policía fuego incendio* humo gas inunda* agua fuga accidente* emergencia* urgencias alarma* caído
    caída cayó herid* fiebre sangr* operaci* robado robaron robó hackea* encerrad* atrapad* miedo peligro* ayuda alérgi* alergia
    inconsciente* dolor* pastilla* medicina* medicamento* grúa tormenta* respira desmay* caldera luz apagón tubería gotera
    desaparecid* perdido bomberos parto
    """,
    "outage": """
    caído caída servidor* error* fallo* falla offline base datos disco contraseña bloquead* funciona sistema web cae cayó colgad*
    cobrar caja
    """,
    "demand": """
    llama llámame llamad necesito necesitamos tienes tenéis favor contesta responde confirma ven venid trae ayuda ayúdame dime
    avísame manda envía envíame firma coge cógelo
    """,
    "prize": """
    gan* ganador* premio* lotería sorteo* recompensa* regalo* felicidades enhorabuena seleccionad* elegid* gratis bono* cupón vale
    afortunad* reclam*
    """,
    "scheme": """
    bitcoin* cripto* inver* rentabilidad ganancia* ingreso* pasivo* trading trader* préstamo* crédito* herencia viuda millon* garantiz*
    gana ganar casino* apuesta* billetera* fondos deuda* rentable* casa
    """,
    "phishing": """
    verific* confirm* cuenta* suspendid* bloquead* contraseña acced* tarjeta pin clave segurid* actualiz* clic haga pulse enlace
    aquí identidad aduana* paquete* envío* virus multa* inusual* desbloque* datos bancari* retenid*
    """,
    "bulk": """
    seo posicionamiento google seguidores likes compra adelgaz* dieta* réplica* rebaja* oferta* liquidación envío solter* citas sexy
    desnud* baja estimad* señor* barat* diseño web telegram whatsapp milagro* promoci* descuento*
    """,
    "home": """
    cena comida desayuno sopa tarta pastel café pizza leche té autobús bus metro tren coche bici casa piso cocina jardín baño escalera
    niños niñas cole colegio deberes examen clase mamá papá madre padre abuela abuelo yaya hermana hermano sobrin* prim* tía tío mujer
    marido vecin* caser* gato perro llave* puerta wifi móvil finde vacaciones cumple cumpleaños fiesta coro cine bar partido dentista
    lluvia basura lavadora plantas sofá mesa lámpara vuelo compra pan guardería barbacoa
    """,
    "plan": """
    mañana lunes martes miércoles jueves viernes sábado domingo semana finde tarde noche luego quedar quedamos vernos venir vienes
    voy traer libre agenda hora enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre próxim*
    """,
    "talk":
      "sí no vale ok hola buenas adiós gracias claro quizá exacto perdón jaja jajaja ah eh bueno pues venga oye besos nada igual",
    "tech": """
    linux kernel terminal instal* paquete* controlador* gráfica impresora* ordenador* portátil* archivo* fichero* carpeta* comando*
    versión versiones actualiz* reinici* código rama* commit* compil* prueba* log logs usb cable* pantalla partición router* script*
    variable* función docker python java
    """,
    "self": "yo me mi mis mí mío mía soy estoy",
    "we": "nosotros nos nuestro nuestra nuestros nuestras somos estamos",
    "you": "tú tu tus te ti usted ustedes vosotros os vuestro vuestra su sus eres estás",
    "they": "él ella ellos ellas le les lo la",
    "ask": "qué quién cuándo dónde por qué cómo cuál cuáles cuánto cuánta cuántos",
    "can":
      "puedo puedes puede podemos podéis pueden podría podrías podríamos quiero quiere quería queremos querríamos debería",
    "calm": "prisa tranquil* cuando puedas pasa calma despacio resuelto solucionado arreglado importa ratito susto",
    "reminder": "recuerd* acuérd* acuerd* olvid* recordatorio cita apunt* anota",
    "parcel": "paquete* envío* entreg* repartidor* correos mensajer* pedido llegado recoger",
    "warm": "cariño beso besos abrazo* amor querid* guapa guapo corazón tqm amiga amigo",
    "not": "no nada nadie ningún ninguna nunca sin tampoco",
  ]

  private static let french: [String: String] = [
    "works": """
    vidéo* épisode* chaîne* live stream* chanson* album* disque* tuto* film* court-métrage podcast* émission* série* saison* livre*
    roman* poème* recette* cours formation* dessin* tableau* concert* tournée merch t-shirt* sweat* mug* voix montage mélodie*
    newsletter* article* musique blog illustration* bd planche* paroles morceau*
    """,
    "audience": """
    fan fans abonn* suis auditeur* auditrice* spectateur* spectatrice* lecteur* lectrice* communauté membre* autographe* dédicac*
    concours inspir* admir* idole* salutations commentaire* regard* écout* lu vu
    """,
    "praise": """
    adore* aimé aime génial* magnifique* merveill* fantastique* superbe* excellent* parfait* meilleur* préféré* merci remerci*
    reconnaissan* fier fière beau belle bon bonne bravo pleur* larmes ému* émouvant* félicit* heureux heureuse drôle* top sublime*
    chouette ravi* joli* touch* frissons
    """,
    "complaint": """
    déç* mauvais* pire ennuy* agaç* énerv* furieu* triste* dommage cassé* panne bug* erreur* nul nulle injuste* horrible* terrible*
    honte* perdu* malade* fatigué* seul* mort* morte plain* réclam* abîmé* endommagé* retard lent* jamais inadmissible* marre manque*
    scandaleux dégoût* malheureusement défectueu*
    """,
    "company": """
    entreprise* société* client* cliente* agence* marque* équipe boîte bureau* boutique* magasin* restaurant* boulangerie* éditeur*
    éditrice galerie* musée* université* école* association* théâtre* mairie* ville service* fournisseur* distributeur* partenaire*
    bibliothèque* médiathèque* journaliste* avocat* comptable* marketing commercial* rédaction production* festival* studio hôtel*
    fondation* salon cabinet
    """,
    "deal": """
    sponsor* partenariat* collabor* contrat* accord* budget* offre* proposition* tarif* cachet* honoraires prix devis facture*
    paiement* payer payons payé licence* commission* campagne* brouillon* délai* commande* commander remise* réserv* publicité* pub
    annonce* projet* atelier* conférence* mariage* shooting* tournage* interview* conditions coût* exemplaires droits rémunér* mission*
    prestation* tradui*
    """,
    "paperwork": """
    facture* joint* jointe* pièce reçu* tva impôt* formulaire* signature signé* signer document* assurance attestation* compte relevé*
    rappel renouvel* cotisation* procès-verbal référence* rib iban virement* confirm* échéance* avoir siret
    """,
    "money":
      "euro euros dollar* francs argent sous coûte coûtent prix payer payé tarif cent commission gratuit* gratos cher chère",
    "hurry": """
    maintenant urgent* urgence* immédiat* vite rapidement dépêche* tout suite aujourd'hui minute* heure heures bientôt délai* minuit
    midi dernier dernière svp stp attend* attends avant plus tard dès ferme
    """,
    "emergency": """
    hôpital ambulance* samu médecin* docteur police pompiers feu incendie* fumée brûle gaz inond* eau fuite* accident* urgence*
    urgences alarme* tombé* chute bless* fièvre sang saigne* opération* volé* vol pirat* hack* enfermé* bloqué* peur danger* aide
    allergi* inconscient* douleur* mal médicament* cachet* remorqu* fourrière tempête respire* évanoui* chaudière courant coupure
    disparu* perdu* accouche* cambriol* secours
    """,
    "outage": """
    panne serveur* plant* erreur* bug* hors base données disque mot passe bloqué* marche fonctionne système site caisse tombé
    planté* coupé*
    """,
    "demand": """
    appelle appelez rappelle rappelez besoin faut dois doit stp svp réponds répondez confirme confirmez viens venez apporte aide
    aidez dis envoie envoyez signe signez décroche
    """,
    "prize": """
    gagn* gagnant* lot lots loterie* loto récompens* cadeau* félicitations sélectionn* choisi* gratuit* bonus bon chèque* tirage*
    chanceux remport*
    """,
    "scheme": """
    bitcoin* crypto* invest* rendement* gain* revenu* passif* trading trader* prêt* crédit* héritage veuve million* garanti* gagner
    casino* pari* portefeuille* fonds dette* rentable* domicile
    """,
    "phishing": """
    vérifi* confirm* compte* suspendu* bloqué* passe connect* carte bancaire pin code sécurité* mettre jour cliqu* lien ici identité
    douane* colis virus amende* inhabituel* débloqu* coordonnées cpf vitale régularis*
    """,
    "bulk": """
    seo référencement google abonnés likes achetez maigrir régime* réplique* contrefaçon soldes promo* promotion* livraison
    célibataire* rencontre* sexy nue* désabonn* monsieur madame cher offre* prix cassés site web telegram whatsapp miracle* marabout
    voyan*
    """,
    "home": """
    dîner déjeuner soupe gâteau café pizza lait thé bus métro train tram voiture vélo maison appart appartement cuisine jardin salle
    bain escalier* enfants école devoirs examen classe maman papa mère père mamie papi sœur soeur frère nièce neveu cousin* tante oncle
    femme mari voisin* proprio chat chien clé clés clef porte wifi portable week-end weekend vacances anniversaire fête chorale ciné
    cinéma bar match dentiste pluie poubelle* lessive plantes canapé table lampe vol courses pain crèche barbecue apéro
    """,
    "plan": """
    demain lundi mardi mercredi jeudi vendredi samedi dimanche semaine week-end matin midi soir après-midi voir viens venir passe
    passer apporter libre agenda heure h janvier février mars avril mai juin juillet août septembre octobre novembre décembre prochain*
    """,
    "talk":
      "oui non ok d'accord salut bonjour coucou bonsoir merci peut-être exact pardon désolé désolée mdr ah euh bon ben bisous ouais bof",
    "tech": """
    linux noyau kernel terminal install* paquet* pilote* carte graphique imprimante* ordi* ordinateur* fichier* dossier* commande*
    version* mise redémarr* code branche* commit* compil* test* log logs usb câble* écran partition* routeur* box script* variable*
    fonction* docker python java
    """,
    "self": "je j'ai j'aimerais me moi mon ma mes m'a suis",
    "we": "nous notre nos on",
    "you": "tu te toi ton ta tes vous votre vos t'as",
    "they": "il elle ils elles lui leur",
    "ask": "quoi qui quand où pourquoi comment quel quelle quels quelles combien est-ce",
    "can":
      "peux peut pouvez pourrais pourriez pourrait pouvons voudrais voudrions aimerais aimerions souhaite souhaitons souhaitez dois",
    "calm": "presse tranquill* quand peux pressé grave calme réglé résolu arrangé importe peur tracas",
    "reminder": "rappel* oublie* n'oublie pense* penser note rdv rendez-vous",
    "parcel": "colis livr* livraison livreur* poste relais suivi récupérer gardien*",
    "warm": "chéri* bisou* bises câlin* amour cœur coeur ma belle amitiés t'embrasse ami amie pote",
    "not": "pas ne n'est rien personne aucun aucune jamais sans",
  ]

  private static let hebrew: [String: String] = [
    "works": """
    סרטון* סרטונים פרק* ערוץ שידור* שיר* אלבום* הדרכה מדריך* סרט* פודקאסט* תוכנית תכנית עונה* ספר* רומן שירה מתכון* קורס* ציור*
    תמונה תמונות הופעה* סיבוב מרץ' חולצ* קפוצ'ון ספל* קול עריכה מנגינה ניוזלטר כתבה מאמר* מוזיקה בלוג איור* קומיקס
    """,
    "audience": """
    מעריצ* מעריץ אוהד* עוקב* מאזינ* מאזין צופה צופים קורא* קהילה חבר* חתימה הגרלה השראה מעורר* תגוב* ראיתי שמעתי קראתי מקשיב* רואה
    מנוי* נרשמתי
    """,
    "praise": """
    אוהב* אהבתי מדהים* מקסים* נהדר* נפלא* יפה יפהפה מושלם* מעולה* אדיר* גאון* אלוף* תודה תודות מודה גאה טוב טובה טובים בכיתי דמעות
    מרגש* התרגשתי שמח* מצחיק* צחקתי כיף* מהמם* פשוט אהוב* מצוין* וואו כבוד אליפות
    """,
    "complaint": """
    מאוכזב* אכזבה גרוע* רע רעה משעמם* מעצבן* עצבני* כועס* עצוב* חבל לצערי שבור* תקלה נורא* איום מגעיל* בושה אבד* חולה עייפ* לבד מת
    מתה תלונה פגום* איחור מאחר* איטי* לעולם נמאס* מחורבן* נפטר*
    """,
    "company": """
    חברה חברת לקוח* לקוחות סוכנות מותג* צוות עסק* משרד* חנות* מסעד* מאפי* הוצאה גלריה מוזיאון אוניברסיט* בית עמותה תיאטרון עירייה
    מחלקה ספק* מפיץ שותפ* ספרייה עיתונאי* עורכ* רואה שיווק מכירות מערכת הפקה פסטיבל סטודיו מלון קרן יריד
    """,
    "deal": """
    חסות שיתוף חוזה* הסכם תקציב* הצעה* הצעת תעריף* מחיר* מחירון שכר חשבונית* תשלום* לשלם נשלם רישיון עמלה קמפיין* טיוטה
    הזמנה* להזמין הנחה* פרסום פרסומת פרויקט* סדנ* הרצא* חתונה צילומ* ראיון תנאים עלות יחידות זכויות לתרגם תרגום
    """,
    "paperwork":
      "חשבונית* מצורפ* מצורף קבלה מס טופס* טפסים חתימה לחתום חתום מסמכ* ביטוח אישור* חשבון תזכורת חידוש דמי פרוטוקול אסמכתא העברה",
    "money": "שקל* יורו דולר* כסף עולה מחיר לשלם שילמתי אחוז* עמלה חינם זול* יקר*",
    "hurry": """
    עכשיו מיד מייד דחוף דחופה בדחיפות מהר תמהר* היום דקה דקות שעה שעות בקרוב חצות אחרון אחרונה חירום בבקשה מחכ* תכף לפני עד כבר
    """,
    "emergency": """
    חולים אמבולנס רופא* משטרה אש שריפה עשן נשרפ* גז הצפה מוצף מים נזילה תאונה חירום אזעקה נפל* פצוע* נפצע חום דם ניתוח נגנב*
    גנבו פרצו פריצה נעול* תקוע* מפחד* סכנה עזרה אלרגי* הכרה כאב* כדורים תרופ* גרר* סערה נושמ* התעלפ* חשמל דוד פיצוץ נעלמ* מיון לידה
    """,
    "outage": "נפל שרת* קרס* תקלה שגיאה באג גיבוי סיסמה חסומ* חסום עובד עובדת מערכת אתר קופה נתקע",
    "demand":
      "תתקשר* להתקשר צריך צריכה צריכים חייב* חייבים בבקשה תענה תעני לענות תאשר* בוא בואי תביא* תעזור* תגיד* תשלח* תחתום תחתמי תרים",
    "prize": "זכית זכה זכיה זכייה פרס* הגרלה לוטו מתנה* ברכות נבחרת חינם בונוס שובר* מזל",
    "scheme":
      "ביטקוין קריפטו השקע* תשואה רווח* הכנסה פסיבית מסחר סוחר הלוואה* אשראי ירושה אלמנה מיליון* מובטח* להרוויח קזינו הימור* ארנק כספים חוב*",
    "phishing":
      "אמת לאמת אימות חשבונך חשבון הושעה נחסם* חסום סיסמה כרטיס קוד אבטחה עדכון לעדכן לחצו לחץ קישור כאן זהות מכס חבילה* וירוס קנס* חריג* פרטי",
    "bulk":
      "קידום גוגל עוקבים לייקים קנו לרזות דיאטה חיקוי מבצע* מבצעים משלוח רווקים היכרויות סקסי להסרה נכבד* אדון גברת טלגרם וואטסאפ הנחה*",
    "home": """
    ערב צהריים בוקר מרק עוגה קפה פיצה חלב תה אוטובוס רכבת אוטו מכונית אופניים בית דירה מטבח גינה אמבטיה מדרגות ילדים בית ספר שיעורי
    מבחן כיתה אמא אבא סבתא סבא אחות אח אחיינ* דוד דודה אישה בעל שכנ* חתול* כלב* מפתח* דלת פלאפון סופש חופש חופשה יומולדת מסיבה
    מקהלה קולנוע משחק שיניים גשם זבל כביסה ספה שולחן מנורה טיסה קניות לחם גן מנגל שבת
    """,
    "plan":
      "מחר ראשון שני שלישי רביעי חמישי שישי שבת שבוע סופש צהריים בערב אחכ אחר נפגש ניפגש לבוא בא באה מגיע* להביא פנוי* יומן ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר הבא הבאה",
    "talk": "כן לא אוקיי אוקי סבבה שלום היי ביי תודה ברור אולי בדיוק סליחה חחח חחחח אה יאללה טוב בסדר אחלה מה",
    "tech":
      "לינוקס קרנל טרמינל להתקין התקנתי התקנה חבילה דרייבר* מסך מדפסת מחשב* לפטופ קובץ קבצים תיקיה תיקייה פקודה גרסה גירסה עדכון לאתחל קוד ענף קומיט לקמפל בדיקות לוג* כבל ראוטר סקריפט משתנה פונקציה דוקר פייתון",
    "self": "אני אותי לי שלי",
    "we": "אנחנו אותנו לנו שלנו",
    "you": "אתה את אתם אותך לך שלך לכם שלכם",
    "they": "הוא היא הם הן אותו אותה לו לה שלו שלה",
    "ask": "מה מי מתי איפה לאן למה איך איזה איזו כמה האם",
    "can": "יכול יכולה יכולים אפשר תוכל תוכלי תוכלו רוצה רוצים נרצה אשמח נשמח",
    "calm": "לחץ רגוע* לאט כשתוכל* כשנוח נפתר סודר הסתדר* נורא דחוף בזמנך",
    "reminder": "תזכורת תזכר* תזכור* תשכח* לשכוח לזכור תור פגישה תרשום",
    "parcel": "חבילה* משלוח* שליח* דואר הגיע* לאסוף נקודת איסוף",
    "warm": "מותק נשיקות נשיקה חיבוק* אהובה אהוב יקר* יקירתי לב חבר חברה",
    "not": "לא אין אף שום בלי כלום",
  ]

  /// The words in English of the concepts that the first lists do not have.
  static let furtherEnglish: [String: String] = [
    "calm":
      "hurry rush whenever chance moment relaxed sorted solved fixed fine worry alarm pressure calm eventually someday",
    "reminder": "remember reminder remind forget appointment don't note diary",
    "parcel": "parcel parcels package packages delivered delivery courier depot postman pickup locker collect",
    "warm": "love xx xo kiss kisses hug hugs darling dear sweetie heart mate buddy friend friends",
    "not": "not no never don't doesn't didn't isn't aren't can't won't nothing without",
  ]
}
