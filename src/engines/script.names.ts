/** First names that people also write with a small letter: with one, `i'm tom` is an introduction, `i'm tired` is none. */
export const FIRST_NAMES: ReadonlySet<string> = new Set(
  (
    'adam adrian aisha alan alba alex alexander alice alina amanda amelia amina amir amy ana andrea andrew andy angela anita anna anne annie anthony anton ' +
    'arthur ben benjamin bernd beth bob brian bruno callum carla carlos carmen carol caroline charlie charlotte chloe chris christina christine claire clara colin ' +
    'daisy dan daniel dave david debbie diana diego dominik dylan eduardo elena eli elias elif elisa elizabeth ella ellie emily emma erik eric eva evan eve fatima felix ' +
    'finn fiona frank franziska fred freya gary george gina grace greta hanna hannah harold harry heather helen helena henry hugo ian ida ines ingrid isabel isla ivan ' +
    'jack jake james jamie jan jana jane janet jason javier jean jenny jess jessica jim joan joanna joe johanna john jonas jonathan jorge jose josh juan judith julia ' +
    'julian karen karin karl kate katharina katie kevin kim lara laura lea leila lena leo leon leonie liam lina linda lisa liz louis louise lucas lucia lucy luis luke lukas ' +
    'manuel marco marcus margaret maria marie marta martin matt matthew max maya mehmet mia michael miguel mike miriam mohammed monika nadia naomi natalie nick nicole nina ' +
    'noah nora olga oliver olivia omar oscar pablo patricia patrick paul paula pedro peter petra phil philip priya rachel rafael rebecca richard rob robert rosa ruby ruth ryan ' +
    'sabine sally sam samira samuel sandra sara sarah sergio silvia simon sofia sophie stefan stella stephen steve steven sue susan svenja teresa theo thomas tim tina tom tomas tony ' +
    'vera victor viktor vicky walter wei will william yara yusuf zara zoe ' +
    'ainhoa aitana alejandra alejandro alvaro antonio araceli beatriz begona belen blanca cristina enrique esther fernando francisco gabriel gonzalo guillermo hector ' +
    'ignacio iker inigo irene jaime jimena joaquin lourdes marina mateo montse nerea noa nuria pepe rafa ramon raquel raul ricardo rocio santiago susana unai vicente ' +
    'anja antje birgit britta christian daniela dieter dirk elke friedrich gerd gisela gudrun hannes heike heinz helga helmut holger horst ilse ingo jochen jorg jurgen ' +
    'kerstin klaus lars lotte ludwig manfred markus marion melanie moritz norbert otto ralf renate resi romy rudi sebastian silke simone sonja susanne sven tanja tobias ' +
    'ulrike ursula ute uwe werner wolfgang alfie edward flor kofi linh ros ' +
    'abby abigail agnes barbara barbie becky bert betty beverly brenda cathy cheryl deborah denise diane dorothy edith eileen elsie ethel geoff geraldine gladys gordon graham harriet hilda howard irma jackie janice jeff jill joyce judy keith kelly kenneth lorraine lynn maggie malcolm mandy maureen megan mildred nancy neil nigel norma norman pam pamela pauline peggy phyllis raymond rita roger ron ronald rosie roy sadie sharon sheila shirley stacey stan stuart tara ted terry tracy trevor vivian wendy winnie yvonne zac ' +
    'achim alfred andreas anneliese annegret axel barbel benno bernhard dennis detlef edeltraud erich erika ernestine franz gabi gabriele georg gerda gerhard gunter gunther gustav hans harald hedwig hermann hilde hildegard hubert ilona irmgard jens josef jutta kai katja katrin kathrin lieselotte liesel mathilde matthias nils paulina rainer reinhard rolf rosemarie rudolf sabrina sibylle siegfried sigrid stefanie steffi thorsten torsten traudl trude volker waltraud ' +
    'adela adriana agustin andres antonia asuncion camila carolina cecilia chema claudia dani edurne elvira emilia emilio encarna ernesto eugenia fabian federico felipe gema gerardo graciela ismael jacinto joaquina julio laia leire leticia lola lorena macarena maite manolo marcos mariana marisa mercedes mireia natalia noelia octavio paco paqui quique rebeca ruben sonia tere toni valentina valeria vanesa veronica victoria virginia yolanda'
  ).split(' '),
);
