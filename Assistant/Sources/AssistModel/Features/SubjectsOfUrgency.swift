extension Concepts {
  /// The subjects of urgent messages, and the ones that tell a reminder from an emergency.
  static let urgency: [String: String] = [
    "minutes": """
    minute minutes min mins mn minuten minuto minutos דקה דקות quarter viertelstunde halbe halben media cuarto quart demi רבע חצי moment
    moments seconds sekunden segundos secondes שניות
    """,
    "hours": """
    hour hours hr hrs stunde stunden hora horas heure heures שעה שעות שעתיים oclock uhr
    """,
    "by": """
    by before until till bis vor avant d'ici jusqu'à antes hasta עד לפני within innerhalb binnen
    """,
    "nowadv": """
    now right sofort jetzt umgehend gleich ya ahora inmediatamente enseguida maintenant immédiatement tout עכשיו מיד מייד immediately
    instantly asap straightaway
    """,
    "todayadv": """
    today tonight heute hoy aujourd'hui היום הלילה הערב heut tonite
    """,
    "clock": """
    noon midnight midday mittag mitternacht mediodía medianoche midi minuit צהריים חצות pm am
    """,
    "run": """
    run rush hurry quick quickly fast schnell schnellstens beeil* eil corre corred corriendo rápido rápida deprisa vite cours courez
    dépêche* grouille* תרוץ תרוצי רוץ רוצי מהר תמהר* rasch flott hurtig
    """,
    "comehere": """
    come komm kommt kommen ven venid venga vente viens venez rejoins תבוא תבואי בוא בואי תגיע* בואו herkommen hierher herkommst
    """,
    "callme": """
    call ring phone ruf rufe ruft anrufen ruf* llama llámame llamad llámala appelle* appelez rappelle* téléphon* תתקשר* להתקשר תצלצל*
    abheben rangehen coge cógelo décroche* תענה תעני תרים תרימי pick rufst
    """,
    "collapse": """
    collapse* passed faint* unconscious unresponsive seizure stroke zusammengebrochen umgekippt umgefallen bewusstlos* ohnmächtig*
    krampf* desplom* desmay* inconsciente convuls* evanoui* évanoui* inconscient* malaise convulsi* effondré* התמוטט* התעלפ* הכרה פרכוס*
    reagiert reacciona réagit מגיב* responding responde répond
    """,
    "breath": """
    breath* breathing choking choke* atmet atmen atem* erstick* verschluckt respir* ahog* atragant* étouff* respire נושם נושמת נחנק*
    לנשום
    """,
    "blood": """
    blood bleeding bleeds blut blutet blutend sangre sangra sangrando sang saigne דם מדמם מדממת wound wunde herida blessure
    """,
    "injury": """
    injured hurt broken broke fracture* sprain* knocked verletzt* gebrochen* verbrannt verbrüht verstaucht herid* fractur* quemad*
    torcid* blessé* cassé* brûlé* נפצע* שבר שברה נכווה נכוותה נחתך fell fallen gestürzt hingefallen caído cayó tombé* chute נפל נפלה rip
    cut
    """,
    "allergy": """
    allergic allergy swelling swollen allergi* anschwell* geschwollen* schwillt alérgic* hinchad* hincha allergique allergie gonfl*
    אלרגי* נפוח* מתנפח* sting stung wasp gestochen wespe biene picado avispa abeja piqûre guêpe נעקצ* inhaler epipen adrenal* מזרק
    penicillin* peanut* nuss nüsse cacahuete* arachide* בוטנים
    """,
    "fever": """
    fever temperature vomit* vomiting rash pain pains cramps fieber* erbr* erbricht kotzt ausschlag schmerzen fiebre vómit* vomita*
    sarpullido dolor fièvre vomi* vomit éruption douleur* חום מקיא* פריחה כאבים stiff steif rígido raide contractions wehen
    contracciones צירים labour labor parto accouche* יולדת birth geburt
    """,
    "medicine": """
    medicine* medication pills insulin tablets medikament* tabletten insulin* arznei* medicina* medicamento* pastillas insulina
    médicament* comprimés insuline תרופ* כדורים אינסולין overdose überdosis sobredosis
    """,
    "hospital": """
    hospital hospitals ward krankenhaus klinik notaufnahme intensivstation hôpital urgences urgencias uci réanimation חולים מיון אשפוז*
    טיפול
    """,
    "rescue": """
    ambulance paramedic* firefighter* lifeguard* coastguard emergency rettung* rettungswagen notarzt notruf feuerwehr* sanitäter*
    bergwacht ambulancia* bomberos socorrista samu pompiers secours ambulanciers אמבולנס כבאים מכבי מציל החובשים חובש
    """,
    "police": """
    police policía polizei policier* gendarm* משטרה שוטר* cop cops guardia polizist*
    """,
    "firesmoke": """
    fire burning burns smoke flames feuer brennt qualm* rauch* flammen fuego incendio humo llamas arde quema feu flammes fumée brûle
    incendie אש שריפה עשן נשרף בוער* sparks funken chispas étincelles ניצוצות
    """,
    "gasleak": """
    gas leak leaking leaks gasgeruch leck tropft undicht ausläuft fuga escape fuite fuit דליפה דולף נזילה נוזל diesel petrol benzin
    gasolina essence chemical* chemikal*
    """,
    "flood": """
    flood* flooding water burst pipe überflut* überschwemm* wasser* rohrbruch inunda* agua tubería inond* fuite canalisation eau הצפה
    מוצף הציף צינור התפוצץ ceiling decke techo plafond תקרה cellar keller sótano cave מרתף stopcock haupthahn
    """,
    "danger": """
    danger dangerous bomb explosion explode* weapon knife gun gefahr bombe waffe messer peligro bomba cuchillo arma arme couteau סכנה
    פצצה סכין evacuat* evakuier* evacua* évacu* פינוי לפנות flüchten escape avalanche lawine
    """,
    "intruder": """
    intruder burglar* robber* breaking stalker following threaten* threatened attack* einbrecher eingebrochen verfolgt bedroht droht
    angegriffen überfall* ladrón ladrones robando amenaz* persigue sigue atac* cambrioleur* cambriol* menac* suit agress* גנב גנבים
    פורצים פורץ מאיים עוקב איים תקפ* stalking
    """,
    "theft": """
    stolen stole theft thief gestohlen geklaut diebstahl robado robaron robo volé* volés voleur* נגנב* גנבו גניבה weg verschwunden
    """,
    "missingperson": """
    missing vanished disappeared lost vermisst verschwunden verlaufen desaparecid* perdido perdida disparu* perdu introuvable נעלם נעלמה
    נעדר* אבד
    """,
    "locked": """
    locked lock trapped stuck stranded ausgesperrt eingesperrt eingeklemmt festgefahren steckt hängt feststeck* gestrandet encerrad*
    atrapad* atascad* tirado tirada coincé* bloqué* enfermé* נעול נעולה תקוע* לכוד* נתקע*
    """,
    "alone": """
    alone allein sola solo seule seul לבד
    """,
    "dark": """
    dark dunkel dunkelt oscur* noche nuit noir חושך החשיך
    """,
    "scared": """
    scared afraid frightened panic* panicking angst panik angsthabe miedo pánico asustad* peur panique panique* מפחד* פוחד* בפאניקה
    בהיסטריה terrified crying weint llora llorando pleure בוכה shaking zittert rémbl* רועד*
    """,
    "helpcry": """
    help helps sos mayday hilfe hilf helft socorro ayuda ayúdame auxilio aide aidez secours הצילו עזרה תעזרו
    """,
    "hurrywait": """
    waiting waits wait wartet warten wartest esperando espera esperan attend attendent attends מחכה מחכים ממתין ממתינים stands steht
    stehen
    """,
    "atdoor": """
    door gate entrance outside tür tor eingang draußen vor haustür puerta portal entrada fuera porte portail entrée dehors דלת שער כניסה
    בחוץ reception lobby
    """,
    "childpickup": """
    nursery kindergarten kita kiga guardería crèche maternelle nounou babysitter גן גננת מטפלת school schule colegio cole école בית
    abholen collect recoger chercher récupérer לאסוף
    """,
    "flightdep": """
    flight plane boarding gate train leaves departs takes flieger flug zug fährt abfährt abflug embarque vuelo avión tren barco sale
    zarpa décolle avion vol part embarquement מטוס טיסה רכבת יוצא* ממריא* עולים ferry fähre pasarela quai platform gleis andén passport
    reisepass pasaporte passeport דרכון visa visum visado
    """,
    "eventstart": """
    starts starting begins begun beginnt anfängt fängt startet losgeht empieza empezando comienza commence commencent démarre מתחיל*
    התחיל* עולים ceremony zeremonie trauung ceremonia cérémonie טקס curtain stage bühne escenario scène במה live sendung aufnahme show
    doors einlass audience publikum público public bride groom braut bräutigam novio novia mariée marié כלה חתן
    """,
    "deadline2": """
    deadline closes closing close shuts cutoff frist schließt schluss abgabe annahmeschluss redaktionsschluss druckschluss cierra
    cierran plazo vence caduca ferme clôture échéance expire délai נסגר* סוגר* מועד אחרון ends endet termina termine press print printer
    drucker druckerei druckt imprenta imprime imprimeur imprimerie דפוס מדפיס* הדפסה submission portal
    """,
    "otherwise": """
    otherwise else sonst ansonsten sino sinon אחרת unless lose gone verlier* verloren perdemos pierde perd perdu מפסיד* נפסיד cancel
    storniert cancelan annul* מבטל*
    """,
    "yesno": """
    yes no ja nein sí oui non כן לא decide entscheid* decid* décid* תחליט* choose welche which option variante lequel laquelle cuál איזה
    """,
    "approve": """
    approve approval okay release freigabe freigeben freigib grünes absegnen bestätigen aprob* visto bueno luz verde feu vert valid*
    validation donner לאשר אישור תאשר* sign signature unterschreib* unterschrift firma firmar signe signer לחתום תחתום* חתימה
    """,
    "sitedown": """
    site website shop server database db page checkout payment webseite seite datenbank kasse bezahlen web página servidor caja tpv pago
    serveur caisse paiement base אתר שרת מערכת קופה תשלום down offline crashed crash ausgefallen abgestürzt lahm caíd* cayó colgad*
    planté* tombé* plante hors קרס נפל נפלה
    """,
    "customersvis": """
    customers orders clients kunden bestell* bestellungen clientes pedidos commandes לקוחות הזמנות guests gäste invitados invités אורחים
    users nutzer usuarios utilisateurs משתמשים
    """,
    "leakdata": """
    leaked leaking exposed visible public data private veröffentlicht sichtbar daten öffentlich publicad* visibles datos expuest*
    visible* données affiche fuité* חשופ* נתונים פרטים מציג
    """,
    "hacked": """
    hacked hijack* hacker ransom ransomware encrypted scam posting takeover gehackt verschlüsselt lösegeld erpress* übernommen hackea*
    jaquea* rescate cifrad* secuestr* pirat* piraté* rançon chiffré* פרצו פריצה נפרצ* כופר הצפנ* האקר*
    """,
    "wrongprice": """
    wrong mistake typo misprint falsch falsche falscher falsches irrtum druckfehler equivocad* error errata mal faux fausse mauvais*
    erreur coquille שגוי* טעות
    """,
    "stopit": """
    stop halt stopp stoppt stoppen cancel pull unpublish delete abschalten abstellen löschen lösch para parad parar detén quita quitad
    borra borrad apaga arrête* arrêtez coupe* coupez retire* supprim* תעצור* תפסיק* תעצרו תוריד* תורידו תכבו תנתק* תמחק* unplug
    disconnect
    """,
    "powercut": """
    power electricity fuse blackout strom stromausfall sicherung luz apagón electricidad plomos courant panne électricité disjonct* חשמל
    הפסקת קפץ freezer kühl* kühlraum gefrier* cámara frigorífic* congelador congél* frigo chambre froide מקרר מקפיא fridge
    """,
    "boiler": """
    heating boiler radiator heizung therme heizkörper calefacción caldera radiador chauffage chaudière radiateur הסקה דוד חימום
    """,
    "storm": """
    storm hurricane lightning hail sturm gewitter blitz hagel unwetter tormenta rayo granizo orage tempête foudre grêle סערה ברק ברד
    wind
    """,
    "accident": """
    accident crash* crashed collision unfall zusammenstoß crash accidente choque accroch* תאונה התנגש* highway motorway autobahn
    autopista autoroute כביש tyre tire reifen rueda pneu גלגל breakdown panne avería abschlepp* tow towed grúa remorqu* dépann* גרר
    """,
    "cardead": """
    battery starts starten springt anspringen anlasser batería arranca démarre batterie מצבר מתניע jump cables überbrückung* starthilfe
    """,
    "childfamilyurgent": """
    baby child kid son daughter toddler kind sohn tochter hijo hija niño niña bebé fils fille enfant bébé ילד ילדה תינוק* הבן הבת בני
    """,
    "elder": """
    grandma grandpa gran granny grandad grandmother grandfather oma opa abuela abuelo yaya mamie papi mémé pépé סבתא סבא
    """,
    "parent": """
    mum mom mother dad father mama papa mutter vater mamá papá madre padre maman mère père אמא אבא
    """,
    "sibling": """
    brother sister bruder schwester hermano hermana frère soeur sœur אח אחות aunt uncle cousin nephew niece tante onkel neffe nichte
    cousine tía tío primo prima sobrin* oncle neveu nièce דודה דוד אחיין
    """,
    "spouse": """
    husband wife partner boyfriend girlfriend mann frau freund freundin marido mujer novio novia mari femme copain copine chéri בעלי
    אשתי בעל אישה חבר חברה ex fiancé* verlob* prometid*
    """,
    "neighbor": """
    neighbour* neighbor* nachbar* vecin* voisin* שכן שכנה שכנים landlord vermieter* casero propriétaire proprio hausmeister janitor
    portero gardien concierge
    """,
    "pet": """
    dog cat puppy kitten hund katze welpe perro gata gato cachorro chien chat chiot כלב כלבה חתול חתולה vet tierarzt veterinari*
    vétérinaire וטרינר* hamster rabbit kaninchen conejo lapin fish budgie parrot
    """,
    "friendoffer": """
    lend borrow leihen leih ausleihen verleihe übrig geschenkt abzugeben presta prest* regalo sobra sobran dejo prête* prêter reste
    donne filer להשאיל משאיל עודף nimm take cógelo prends קח קחי magst willst quieres veux רוצה רוצים
    """,
    "calmdown": """
    hurry eilt eile prisa tranquil* pressé presse tranquille לחץ דחוף worry sorgen preocup* inquiét* inquiète לדאוג false alarm
    fehlalarm falsa falsch entwarnung fausse אזעקת שווא fine okay solved fixed sorted geklärt gelöst geregelt arreglado solucionado
    resuelto réglé résolu arrangé הסתדר נפתר נמצא found gefunden apareció retrouvé over vorbei pasó passé נגמר
    """,
    "nextweek": """
    week weeks month months year years woche wochen monat monate jahr jahre semana semanas mes meses año años semaine semaines mois an
    ans année שבוע שבועות חודש חודשים שנה שנים tomorrow morgen übermorgen mañana pasado demain מחר מחרתיים
    """,
    "weekday": """
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lunes martes
    miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche ראשון שני שלישי רביעי חמישי שישי שבת
    """,
    "month": """
    january february march april may june july august september october november december januar februar märz mai juni juli oktober
    dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janvier février mars avril juin
    juillet août septembre octobre novembre décembre ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
    """,
    "remindercue": """
    remember remind reminder forget vergiss denk erinner* merk notier acuérdate recuerda recordad olvides apunta rappelle* oublie
    n'oublie pense note תזכיר* תזכור* תשכח* diary calendar kalender calendario agenda יומן appointment termin cita rdv תור
    """,
  ]
}
