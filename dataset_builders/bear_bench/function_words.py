"""Short words that nearly every page of a language has and pages of its neighbours have not, by language."""

# The Serbian "je" is here in Latin letters too, in which OCR without Serbian reads it.
CYRILLIC: dict[str, frozenset[str]] = {
    language: frozenset(listed.split())
    for language, listed in {
        "ru": """в и на с у по не за для от к из что как это при или о его так же если быть был была
            были может также которые который которая которых только после об этого их она они он мы вы
            чтобы но между более во со ко все всех до под над без бы ли уже можно следует должен является""",
        "uk": """і й та на з із до що як це для не від або якщо також які який яка яких його її їх було
            був була були бути між після під над при про щодо але чи у в цього може лише більш є""",
        "be": """і ў у на з да што як гэта для не ад або калі таксама якія які яка яго яе іх было быў
            была былі быць паміж пасля пад над пры пра але ці можа толькі больш каб ёсць""",
        "bg": """и на се да са ще че за от в с във със като това които който която по не при или към
            до след през между тази този тези бъде също само може чрез както те той тя но""",
        "sr": """и у на се да је je су за од са као који која које по не или до после између ова овај
            бити такође само може али што због није ће би те он она""",
        "mk": """и во на се да за од со како што кој која кои по не при или до по меѓу оваа овој
            биде исто само може но сите не ќе би тие тој таа""",
    }.items()
}

# Of two letters or more: single ones stand in formulae and tables of every language.
LATIN: dict[str, frozenset[str]] = {
    language: frozenset(listed.split())
    for language, listed in {
        "en": """the of and to in is that for it as with on be by are was were this which from or an at not
            have has had we our its their they will may can these than other such all any
            under been if you your but no more who would each between into during""",
        "fr": """le la les de des du et un une est que qui dans en pour par sur au aux avec ce cette ces sont
            été être pas ne ou où il elle nous vous leur plus mais comme se sa ses son qu""",
        "de": """der die das und ist von den dem des mit für auf nicht ein eine einer einem eines zu zur zum
            im am als auch bei sich werden wird wurde sind war hat oder nach aus durch über
            es wie dass noch nur aber kann""",
        "es": """el la los las de del en que un una es por para con se su sus al lo como más no este esta
            estos estas son fue ha han ser entre sobre pero también desde""",
        "it": """il lo la gli le di del della dei delle in che un una per con non si da al alla nel nella
            sono come più anche ma questo questa essere stato ha""",
        "pt": """os as de do da dos das em no na nos nas que um uma por para com não se ao mais como mas ou
            este esta são foi ser também pelo pela""",
        "pl": """na do nie się że jest to oraz od po przez dla jak za co tym tego który która które są był
            była było być lub ale może także ich jego przy pod""",
        "cs": """na do ne se že je to od po pro jak za který která které jsou byl byla bylo být nebo ale může
            také jejich jeho při pod ve podle""",
        "nl": """de het een van en in is dat op te voor met zijn niet aan er die om als ook door bij naar uit
            worden wordt werd deze dit maar of kan hebben heeft""",
        "sv": """och att det som en på är av för med den till de inte om ett har från vid kan var eller men
            sig så under detta dessa efter""",
        "da": """og at det som en på er af for med den til de ikke om et har fra ved kan var eller men sig så
            under dette disse efter blev bliver""",
        "fi": """ja on ei että se oli ovat kuin myös tai joka jotka sen hän mutta ole voi mukaan sekä ovat
            ollut tämä""",
        "tr": """ve bir bu için ile da de olarak olan daha gibi çok en kadar sonra ancak göre her veya değil
            ise""",
        "ro": """și în de la cu pe nu este un care din pentru sau mai ce sunt al ale fi au prin
            această acest""",
        "hu": """az és hogy nem is egy ez meg de van volt azt mint vagy már csak el ki lehet""",
        "id": """dan yang di dengan untuk dari pada ini itu dalam adalah tidak akan oleh atau sebagai juga
            dapat""",
        "la": """et in est non ad ut cum quod ex per sed qui quae si ab hoc esse sunt atque aut enim""",
    }.items()
}
