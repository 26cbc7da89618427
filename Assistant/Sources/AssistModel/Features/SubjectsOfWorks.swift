extension Concepts {
  /// The subjects of those who make things and of their audience: what they make, with what, for whom, and how people speak of it.
  static let makers: [String: String] = [
    "crafted": """
    bowl bowls vase vases teapot jug plate plates tile tiles scarf jumper sweater cardigan socks hat cap beanie quilt embroidery
    carving spoon candle candles soap ring rings earring* necklace bracelet brooch postcard* sticker* calendar puzzle zine linocut
    engraving watercolour* watercolor* mural statue sculpture mask puppet doll figurine tote pouch wallet notebook* tapestry mosaic
    bookmark schale* vase* teekanne krug teller kachel* schal pulli pullover mütze socken decke stickerei schnitzerei löffel kerze*
    seife ringe ohrring* kette armband brosche postkarte* aufkleber kalender linolschnitt* radierung aquarell* wandbild skulptur
    maske puppe* marionette tasche beutel notizbuch notizbücher mosaik lesezeichen cuenco* jarrón jarra tetera plato platos azulejo*
    bufanda jersey gorro calcetines colcha bordado talla cuchara vela velas jabón anillo* pendientes collar pulsera broche postal
    postales pegatina* calendario rompecabezas linograbado* grabado* acuarela* estatua escultura máscara marioneta* muñec* bolso
    cuaderno* mosaico bol bols théière cruche pichet assiette* carreau* écharpe pull bonnet chaussettes couverture broderie cuillère
    bougie* savon bague* boucles collier carte* autocollant* calendrier linogravure* gravure* aquarelle* fresque masque marionnette*
    poupée* sac pochette carnet* mosaïque קערה קערות אגרטל קנקן קומקום צלחת צלחות אריח* צעיף סוודר כובע גרביים שמיכה רקמה גילוף כף נר
    נרות סבון טבעת עגילים שרשרת צמיד גלויה גלויות מדבקה מדבקות לוח פאזל תחריט אקוורל ציור* פסל מסכה בובה בובות תיק מחברת מחברות פסיפס
    """,
    "figure": """
    fox raven crow bear wolf dragon witch ghost wizard pirate captain detective inspector princess prince queen king knight villain
    narrator protagonist hero heroine mermaid robot giant dwarf elf fairy hedgehog owl badger otter lighthouse keeper fuchs rabe
    krähe bär drache* hexe geist gespenst zauberer pirat* kapitän* kommissar* detektiv* prinz* königin könig ritter bösewicht
    erzähler* held* meerjungfrau riese zwerg elfe fee igel eule dachs leuchtturm* zorro cuervo oso lobo dragón bruja fantasma mago
    pirata capitán* inspector* princesa príncipe reina rey caballero villano malo narrador* sirena gigante enano duende hada erizo
    búho tejón faro farero renard corbeau ours loup sorcière fantôme magicien capitaine commissaire inspecteur princesse reine roi
    chevalier méchant narrateur* narratrice sirène géant nain fée hérisson hibou chouette blaireau phare gardien שועל עורב דוב זאב
    דרקון מכשפה רוח רפאים קוסם פיראט קפטן בלש בלשית נסיכה נסיך מלכה מלך אביר רשע מספר מספרת גיבור גיבורה ענק גמד פיה קיפוד ינשוף
    מגדלור
    """,
    "stage": """
    stage encore setlist drummer drums bassist bass guitarist guitar piano pianist violin cello accordion trumpet saxophone flute
    harp choir orchestra singer vocals duet solo chorus verse bridge riff chord chords band acoustic unplugged rehearsal opening act
    bühne zugabe schlagzeug* bassist* gitarre* klavier geige bratsche akkordeon trompete saxofon flöte harfe chor orchester sänger*
    gesang duett refrain strophe akkord* vorband probe escenario bis batería baterista bajo bajista guitarra guitarrista violín
    violonchelo chelo acordeón trompeta saxofón flauta arpa coro orquesta cantante dúo estribillo estrofa acorde* banda acústic*
    telonero* ensayo scène rappel batterie batteur basse bassiste guitare guitariste violon violoncelle accordéon trompette flûte
    harpe chœur choeur orchestre chanteur chanteuse duo couplet accord* groupe acoustique répétition במה הדרן תופים מתופף בס גיטרה
    גיטריסט פסנתר כינור צ'לו אקורדיון חצוצרה סקסופון חליל נבל מקהלה תזמורת זמר זמרת דואט סולו פזמון בית אקורד* להקה אקוסטי חזרה
    """,
    "onscreen": """
    subtitles captions thumbnail intro outro edit editing cut jumpcut timestamp scene shot footage blooper* bloopers trailer
    background voiceover narration sound audio mix camera lighting minute part sequel prequel spinoff remake recap backstage behind
    untertitel vorschaubild abspann vorspann schnitt zeitmarke szene aufnahme* patzer hintergrund erzählstimme ton tonspur licht
    fortsetzung teil kulissen subtítulos miniatura cabecera créditos sintonía edición montaje escena plano toma* tomas tráiler fondo
    narración sonido luz segunda parte secuela continuación detrás cámaras miniature générique montage coupe scène plan prise*
    bêtisier fond son lumière suite partie coulisses כתוביות תמונה פתיח עריכה סצנה שוט צילומים פספוסים טריילר רקע קריינות סאונד תאורה
    המשך חלק קלעים
    """,
    "onpage": """
    chapter ending twist plot cliffhanger trilogy volume paperback hardcover audiobook translation illustrated epilogue prologue typo
    blurb sequel read reread reading pages poem poems verse novella draft kapitel schluss wendung handlung trilogie band taschenbuch
    hörbuch übersetzung epilog prolog tippfehler klappentext fortsetzung gelesen lese seiten gedicht* vers novelle capítulo final
    giro trama trilogía tomo bolsillo audiolibro traducción epílogo prólogo errata contraportada leí leído leyendo releí páginas
    poema* verso chapitre fin dénouement intrigue tome poche audio traduction épilogue coquille quatrième lu relu lis poème* nouvelle
    פרק סוף תפנית עלילה טרילוגיה כרך אודיו תרגום אפילוג קראתי קוראת עמודים שיר שירים
    """,
    "playing": """
    level boss patch save savegame controller dlc mod mods quest puzzle difficulty speedrun multiplayer coop achievement* soundtrack
    devlog demo beta port console steam switch cutscene endboss spielstand schwierigkeit* erweiterung rätsel nivel jefe parche
    partida mando expansión dificultad logro* niveau sauvegarde manette extension difficulté succès שלב בוס שמירה שלט הרחבה קושי פאזל
    """,
    "workbench": """
    kiln wheel glaze clay loom knitting crochet yarn needles pattern stitch seam dye lathe chisel plane saw varnish oil canvas easel
    palette charcoal pastel pigment ink press leather beads weaving throwing fired firing brennofen drehscheibe töpfer* webstuhl
    strick* häkel* wolle nadel* anleitung masche* naht färb* drechsel* meißel hobel säge lack leinwand staffelei kohle pastell tusche
    druckpresse leder perlen weben gebrannt horno torno esmalte arcilla telar punto ganchillo lana agujas patrón puntada costura
    tinte formón cepillo sierra barniz lienzo caballete paleta carboncillo pigmento prensa cuero cuentas tejer tejido cocción four
    tour émail argile métier tricot* laine aiguilles patron maille* couture teinture tourneur ciseau rabot scie vernis toile chevalet
    fusain presse cuir perles tisser tissage cuisson תנור אובניים גלזורה חימר נול סריגה סרגתי לסרוג צמר מסרגות דוגמה תפר צבע מחרטה
    מפסלת משור לכה קנבס כן פלטה פחם פסטל דיו מכבש עור חרוזים אריגה שריפה
    """,
    "baking": """
    dough sourdough starter crumb crust rise risen oven bake baked baking whisk batter icing frosting knead proofing teig sauerteig
    kruste backen gebacken ofen kneten glasur masa levadura madre corteza miga horneé hornear amasar glaseado pâte levain mie croûte
    cuire cuisson pétrir glaçage levé בצק מחמצת אפייה אפיתי לאפות קרום ללוש ציפוי תופח
    """,
    "fandom": """
    fan fans tattoo tattooed cosplay signed autograph repeat loop binge binged marathon rewatch* obsessed fanart shirt poster wall
    queue queued row front presale crowd merch patreon member members supporter idol poster* tattoo* tätowier* verkleid* signiert
    autogramm dauerschleife schleife wand schlange reihe ausverkauft vorverkauf publikum mitglied unterstützer* tatu* disfraz*
    firmad* autógrafo bucle maratón pared cola fila agotad* preventa público miembro mecenas tatoué* tatouage déguis* dédicac*
    autographe boucle mur rang complet prévente public membre קעקוע תחפושת חתום חתימה לופ מרתון קיר תור שורה אזל קהל מנוי
    """,
    "askwork": """
    whose who which named based inspired originally character real true made filmed recorded written painted drawn sung voiced
    translated gedreht aufgenommen geschrieben gemalt gezeichnet gesungen gesprochen übersetzt erfunden beruht inspiriert echt wahr
    grabado rodado escrito pintado dibujado cantado doblado traducido inventado basado inspirado verdad filmé tourné enregistré écrit
    peint dessiné chanté doublé traduit inventé basé inspiré vrai צולם הוקלט נכתב צויר הושר תורגם מומצא מבוסס אמיתי באמת
    """,
    "gladness": """
    happy glad joy joyful delighted thrilled excited yay hooray finally smile smiling laugh laughing grin proud blessed lucky
    relieved grateful wonderful lovely cute sweet hug hugs kisses congrats congratulations bravo froh freude freu* glücklich
    begeistert endlich lächeln lächle strahl* stolz erleichtert dankbar süß niedlich umarmung glückwunsch gratulier* juhu hurra
    yippie feliz alegría alegre contento contenta ilusión emocionad* sonri* sonrisa ríe orgullos* alivio aliviad* agradecid* dulce
    mono abrazo* besos enhorabuena felicidades yupi ganas heureux heureuse joie contente content ravi* enthousias* sourire souris
    sourit fier fière soulag* reconnaissant* mignon* adorable câlin bisous félicitations youpi vivement hâte שמח שמחה מאושר* מתרגש*
    חיוך מחייכ* גאה הקלה חמוד* מתוק* חיבוק נשיקות כיף בהצלחה
    """,
    "anger": """
    furious angry outrageous unacceptable scandal ridiculous joke shame disgusting rude liar lied lying ripoff scam cheated ignored
    enough fed wtf hell damn bloody never again refuse complain* wütend sauer unverschämt* unmöglich inakzeptabel skandal lächerlich
    frechheit eklig unhöflich lügner gelogen abzocke betrogen ignoriert reicht schnauze verdammt nie wieder beschwer* furioso furiosa
    enfadad* cabread* indignad* inaceptable escándalo ridículo vergüenza asco maleducad* mentiros* mentira timo estafad* ignorad*
    basta harto harta joder maldita nunca más quejar* furieux furieuse colère inadmissible inacceptable scandale ridicule honte
    dégoût* malpoli* menteur mensonge arnaque trompé ignoré assez marre putain jamais plus plaindre זועם זועמת כועס* עצבני* חוצפה
    שערורייה מגוחך בושה דוחה גס שקרן שיקר* רימו נמאס די לעזאזל לעולם מתלונן
    """,
    "sadness": """
    sad sadly sorrow crying cry lonely grief grieving heartbroken devastated miss missing depressed tired exhausted hopeless worried
    worry regret unfortunately pity shame lost died death passed funeral hospital broke breakup cancelled gone traurig leider kummer
    weine einsam trauer gebrochen vermiss* deprimiert müde erschöpft hoffnungslos sorge* bedaure schade verloren gestorben tod
    beerdigung getrennt abgesagt fertig triste tristeza pena lástima lloro llorando sola duelo destrozad* echo deprimid* cansad*
    agotad* preocupad* lamento desgraciadamente perdido murió muerte rompimos cancelad* polvo chagrin pleure seul seule deuil
    effondré* manque déprimé* fatigué* épuisé* vidé* inquiet inquiète regrette malheureusement dommage perdu mort décès enterrement
    quitté annulé עצוב* צער בוכה לבד אבל שבור* מתגעגע* מדוכא* עייפ* מותש* גמור* דואג* חבל לצערי לצערנו איבדתי נפטר* מת מתה לוויה
    נפרדנו בוטל
    """,
    "flaw": """
    broken cracked crack chipped torn ripped scratched stained faded peeling wobbly loose leaking late delayed missing wrong damaged
    misprint blurry muffled choppy buffering lag laggy crashes freezes stutters quiet loud distorted overpriced expensive rushed
    kaputt riss gerissen sprung abgeplatzt zerkratzt fleck* verblasst wackelt lose undicht verspätet fehlt falsch beschädigt unscharf
    dumpf ruckelt hängt stürzt leise laut übersteuert überteuert teuer hektisch roto rota grieta rajad* rasgad* rayad* manchad*
    desteñid* flojo suelto gotea tarde retras* falta equivocad* dañad* borros* entrecort* cuelga bajo alto satur* caro cara prisa
    cassé* fêlé* fêlure fissure déchiré* rayé* taché* délavé* décollé* bancal retard manque abîmé* flou* saccade* plante faible fort
    cher chère bâclé* שבור* סדק סדוק* קרוע* שרוט* מוכתם דהוי רופף נוזל מאחר* חסר* פגום* מטושטש* נתקע* קורס חלש חזק יקר
    """,
    "kin": """
    mum mom mommy dad daddy grandma grandpa nan granny sis bro aunt auntie uncle cousin kids hubby wifey baby mama papa oma opa
    schwester bruder tante onkel kinder schatz mamá papá abuela abuelo yaya hermana hermano tía tío primo prima niños cariño maman
    papi mamie papy mémé pépé sœur frère tata tonton cousine enfants chéri chérie אמא אבא סבתא סבא אחותי אחי דודה דוד ילדים מותק
    אהובי
    """,
    "errand": """
    key keys bin bins laundry dishes shopping groceries milk bread pharmacy parking lift ride pick drop fetch feed walk charger
    umbrella ladder drill tent bike sofa schlüssel müll wäsche geschirr einkauf* einkaufen apotheke abholen mitnehmen füttern gassi
    ladegerät schirm leiter bohrmaschine zelt llaves basura ropa platos compra super farmacia recoger llevar pasear cargador paraguas
    escalera taladro tienda clés poubelles lessive vaisselle courses pharmacie chercher emmener promener chargeur parapluie échelle
    perceuse tente מפתח מפתחות פח זבל כביסה כלים קניות מכולת מרקחת לאסוף להסיע להאכיל מטען מטרייה סולם מקדחה אוהל
    """,
  ]
}
