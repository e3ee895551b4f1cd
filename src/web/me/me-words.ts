import { counted } from '../words/counted.ts'
import { inBoth } from '../words/language.tsx'

const en = {
  title: 'Your account',
  account: 'Profile',
  ownNumber: (userid: string) => `Your user ID is ${userid}. Someone who shares a vault with you may ask for it.`,
  username: 'Username',
  fullname: 'Full name',
  email: 'Email address',
  emailHelp: 'The people you share vaults with can see it.',
  save: 'Save',
  saved: 'Email address saved.',
  unchanged: 'The email address was not changed.',
  onHold: (count: number) =>
    `Your membership in ${count === 1 ? 'one vault' : `${count} vaults`} is on hold until an Admin of the vault confirms you. Until then you cannot add devices.`,

  passphrase: 'Pass phrase',
  passphraseChanged: (day: string) => `Last changed on ${day}.`,
  presentPassphrase: 'Current pass phrase',
  newPassphrase: 'New pass phrase',
  newPassphraseHelp:
    'At least 12 characters, unless your administrator has chosen another policy. Several unrelated words are strong and easy to type.',
  repeatPassphrase: 'Confirm new pass phrase',
  repeatDiffers: 'The pass phrases do not match.',
  changePassphrase: 'Change pass phrase',
  passphraseIsChanged: 'Pass phrase changed. All your other sessions have ended.',
  strength: 'Strength',
  strengths: ['Very easy to guess', 'Easy to guess', 'Fair', 'Strong', 'Very strong'] as readonly string[],
  strengthUnknown: 'Cannot be estimated here. The appliance checks it.',

  dueTitle: 'Choose a new pass phrase',
  dueAsked:
    'An administrator has asked you to change your pass phrase. Once it is changed, you continue where you were.',
  dueOld: 'Your pass phrase is older than this appliance allows.',
  later: 'Not now',
  laterHelp: 'You will be asked again at your next login.',
  rules: 'Requirements',
  passphraseRules: [
    'Not easy to guess, and does not contain your username.',
    'Different from your current pass phrase.',
  ] as readonly string[],

  factorCode: 'Code',
  factorHelps: {
    webauthn: 'Your browser asks for your passkey when you change the pass phrase.',
    smartcard: 'The smartcard that your browser presents. Use the address where you log in with it.',
  },
  factor: 'Code from one of your devices',
  factorHelp: 'A new code from your authenticator app, or touch your hardware token. Each code can be used once.',

  devices: 'Devices',
  devicesHelp:
    'You log in with your pass phrase and one of these. Have at least two, so that losing one does not lock you out.',
  kinds: { totp: 'Authenticator app', hotp: 'Code token', hwkey_otp: 'Hardware token' } as Readonly<
    Record<string, string>
  >,
  addedOn: (day: string) => `added on ${day}`,
  usedOn: (day: string) => `last used on ${day}`,
  neverUsed: 'not used yet',
  remove: 'Remove',
  removeDevice: (device: string) => `Remove ${device}`,
  removeTitle: 'Remove this device?',
  removeText: (device: string) =>
    `${device}. You can no longer log in with it. Sessions opened with it stay open until you end them.`,
  removed: 'Device removed.',
  addApp: 'Add authenticator app',
  scan: 'Scan this with the app, or enter the setup key in it.',
  qrCode: 'QR code for the authenticator app',
  key: 'Setup key',
  newCode: 'Code from the new app',
  newCodeHelp: 'Confirms that the app works.',
  finish: 'Add app',
  appAdded: 'Authenticator app added.',
  addToken: 'Add hardware token',
  tokenText: 'The token must be known to the appliance, and not belong to another user.',
  tokenOtp: 'Touch the new token',
  tokenAdded: 'Hardware token added.',

  sessions: 'Sessions',
  sessionsHelp: 'Where you are logged in. If you do not recognise a session, end it and change your pass phrase.',
  thisSession: 'This session',
  since: (moment: string) => `since ${moment}`,
  lastSeen: (moment: string) => `last call ${moment}`,
  end: 'End',
  endSession: (address: string, moment: string) => `End the session from ${address} since ${moment}`,
  endOthers: 'End all other sessions',
  ended: (count: number) => (count === 1 ? 'One session ended.' : `${count} sessions ended.`),
  idle: (page: number, session: number) =>
    `This page locks after ${counted('en', page, 'minute', 'minutes')} of inactivity, and a session ends after ${counted('en', session, 'minute', 'minutes')} without calls.`,

  certificate: 'Smartcard',
  noCertificate: 'No smartcard certificate is registered for you. An administrator can register one.',
  certificateOf: (name: string) => `Certificate of ${name}`,
  validUntil: (day: string) => `Valid until ${day}.`,

  services: 'Your service accounts',
  servicesHelp: 'Identities of applications that you manage: where they may log in from, and with which credentials.',

  appearance: 'Language and theme',
  language: 'Language',
  languages: { en: 'English', sv: 'Svenska' },
  theme: 'Theme',
  themes: { system: 'Same as system', light: 'Light', dark: 'Dark' },
}

const sv: typeof en = {
  title: 'Ditt konto',
  account: 'Profil',
  ownNumber: (userid: string) => `Ditt användar-ID är ${userid}. Den som delar ett valv med dig kan fråga efter det.`,
  username: 'Användarnamn',
  fullname: 'Fullständigt namn',
  email: 'E-postadress',
  emailHelp: 'De som du delar valv med kan se den.',
  save: 'Spara',
  saved: 'E-postadressen har sparats.',
  unchanged: 'E-postadressen har inte ändrats.',
  onHold: (count: number) =>
    `Ditt medlemskap i ${count === 1 ? 'ett valv' : `${count} valv`} är pausat tills en administratör av valvet bekräftar dig. Till dess kan du inte lägga till enheter.`,

  passphrase: 'Lösenfras',
  passphraseChanged: (day: string) => `Senast bytt ${day}.`,
  presentPassphrase: 'Nuvarande lösenfras',
  newPassphrase: 'Ny lösenfras',
  newPassphraseHelp:
    'Minst 12 tecken, om inte administratören har valt en annan policy. Flera ord utan samband är starka och lätta att skriva.',
  repeatPassphrase: 'Bekräfta den nya lösenfrasen',
  repeatDiffers: 'Lösenfraserna stämmer inte överens.',
  changePassphrase: 'Byt lösenfras',
  passphraseIsChanged: 'Lösenfrasen är bytt. Alla dina andra sessioner har avslutats.',
  strength: 'Styrka',
  strengths: ['Mycket lätt att gissa', 'Lätt att gissa', 'Godtagbar', 'Stark', 'Mycket stark'],
  strengthUnknown: 'Kan inte uppskattas här. Systemet kontrollerar den.',

  dueTitle: 'Välj en ny lösenfras',
  dueAsked: 'En administratör har bett dig att byta lösenfras. När den är bytt fortsätter du där du var.',
  dueOld: 'Din lösenfras är äldre än vad systemet tillåter.',
  later: 'Inte nu',
  laterHelp: 'Du får frågan igen vid nästa inloggning.',
  rules: 'Krav',
  passphraseRules: ['Svår att gissa, och innehåller inte ditt användarnamn.', 'En annan än din nuvarande lösenfras.'],

  factorCode: 'Kod',
  factorHelps: {
    webauthn: 'Webbläsaren frågar efter din lösennyckel när du byter lösenfras.',
    smartcard: 'Smartkortet som webbläsaren visar. Använd adressen där du loggar in med det.',
  },
  factor: 'Kod från en av dina enheter',
  factorHelp:
    'En ny kod från din autentiseringsapp, eller tryck på din hårdvarunyckel. Varje kod kan användas en gång.',

  devices: 'Enheter',
  devicesHelp:
    'Du loggar in med din lösenfras och en av dem. Ha minst två, så att du inte blir utelåst om du förlorar en.',
  kinds: { totp: 'Autentiseringsapp', hotp: 'Kodgenerator', hwkey_otp: 'Hårdvarunyckel' },
  addedOn: (day: string) => `tillagd ${day}`,
  usedOn: (day: string) => `senast använd ${day}`,
  neverUsed: 'inte använd ännu',
  remove: 'Ta bort',
  removeDevice: (device: string) => `Ta bort ${device}`,
  removeTitle: 'Ta bort enheten?',
  removeText: (device: string) =>
    `${device}. Du kan inte längre logga in med den. Sessioner som öppnades med den är öppna tills du avslutar dem.`,
  removed: 'Enheten har tagits bort.',
  addApp: 'Lägg till autentiseringsapp',
  scan: 'Skanna detta med appen, eller ange nyckeln i den.',
  qrCode: 'QR-kod för autentiseringsappen',
  key: 'Nyckel',
  newCode: 'Kod från den nya appen',
  newCodeHelp: 'Bekräftar att appen fungerar.',
  finish: 'Lägg till app',
  appAdded: 'Autentiseringsappen har lagts till.',
  addToken: 'Lägg till hårdvarunyckel',
  tokenText: 'Hårdvarunyckeln måste vara känd av systemet och får inte tillhöra en annan användare.',
  tokenOtp: 'Tryck på den nya hårdvarunyckeln',
  tokenAdded: 'Hårdvarunyckeln har lagts till.',

  sessions: 'Sessioner',
  sessionsHelp: 'Där du är inloggad. Om du inte känner igen en session, avsluta den och byt lösenfras.',
  thisSession: 'Den här sessionen',
  since: (moment: string) => `sedan ${moment}`,
  lastSeen: (moment: string) => `senaste anrop ${moment}`,
  end: 'Avsluta',
  endSession: (address: string, moment: string) => `Avsluta sessionen från ${address} sedan ${moment}`,
  endOthers: 'Avsluta alla andra sessioner',
  ended: (count: number) => (count === 1 ? 'En session har avslutats.' : `${count} sessioner har avslutats.`),
  idle: (page: number, session: number) =>
    `Sidan låses efter ${counted('sv', page, 'minuts', 'minuters')} inaktivitet, och en session avslutas efter ${counted('sv', session, 'minut', 'minuter')} utan anrop.`,

  certificate: 'Smartkort',
  noCertificate: 'Inget smartkortscertifikat är registrerat för dig. En administratör kan registrera ett.',
  certificateOf: (name: string) => `Certifikat för ${name}`,
  validUntil: (day: string) => `Gäller till ${day}.`,

  services: 'Dina tjänstekonton',
  servicesHelp:
    'Identiteter för program som du förvaltar: varifrån de får logga in, och med vilka autentiseringsuppgifter.',

  appearance: 'Språk och tema',
  language: 'Språk',
  languages: { en: 'English', sv: 'Svenska' },
  theme: 'Tema',
  themes: { system: 'Samma som enheten', light: 'Ljust', dark: 'Mörkt' },
}

export const meWords = inBoth(en, sv)
