extension Concepts {
  /// The subjects that people often ask about, in all languages. Each word occurs in the training data.
  static let topics: [String: String] = [
    "topicdelivery": """
    ship* deliver* postage abroad internationally send post versand* versend* verschick* schick* liefer* porto ausland
    envío* envia* enviá* mandar manda tarda livr* expéd* envoie* port délai משלוח* שולחים שולח לשלוח
    """,
    "topicdevice": """
    camera cameras cam lens webcam kamera* objektiv* cámara objetivo caméra objectif appareil מצלמה מצלמת film filmst
    drehst grabas grabaste filmes filmé shoot shooting footage
    """,
    "topicprice": """
    rate rates price prices pricing charge cost costs preis* kostet kosten verlangen nimmst tarif* precio* cuesta costaría
    cobras cobra pides cuánto prix coûte demandez demandes combien sponsor* gesponsert* patrocin* מחיר* עולה גובים תיקח
    media kit mediakit preisliste
    """,
    "topicschedule": """
    upload episode episodes often next new week neue folge* wann oft nächste lädst erscheint video* subes sale salen
    nuevos episodio* próximo cada cuánto días sort sortent épisode* quand prochain* tous מתי יוצא עולה עולים פרק חדש חדשים
    """,
    "topicshop": """
    buy sell selling sold shop merch* hoodie* shirt* mug mugs print prints poster* kaufen verkauf* bestell* druck* tasse*
    pulli* comprar compra vende* tienda lámina* camiseta* sudadera* taza* acheter vend* boutique affiche* sweat* לקנות
    מוכרים ספל* חולצ* הדפס*
    """,
    "topicreturn": """
    refund* return* back replace* exchange damaged cracked broken wrong money zurück* umtausch* tausch* rückgabe geld
    beschädigt kaputt sprung falsche devol* reembols* dinero roto rota rajada recuperar rembours* renvoy* renvoie*
    échange* cassé* החזר להחזיר להחליף שבור* הכסף
    """,
    "topiclesson": """
    lesson* teach* tuition class classes pupil* beginner* novice* private one-to-one privat* unterricht* einzel* anfänger*
    stunde* clase* particular* enseñ* principiante* individual* cours leçon* enseign* débutant* particulier* שיעור* מלמד*
    מתחיל* פרטי* ללמוד
    """,
    "topichours": """
    open opening close closes shut hours holiday* sunday* öffnungszeiten offen geöffnet auf zu feiertag* abrís abre
    abierto abierta horario cerráis festivo* ouvert* fermez ferme horaires férié* פתוח* שעות סוגר* עד
    """,
    "topicbooking": """
    book booking appointment* slot* reserve date termin* buchen reservier* platz plätze frei cita reservar hueco plaza
    plazas rendez-vous réserv* créneau place places תור לקבוע לשריין מקום פנוי*
    """,
    "topicmusic": """
    music song tune track intro background musik lied stück hintergrund canción música melodía suena chanson morceau
    musique שיר המוזיקה מתנגן
    """,
  ]
}
