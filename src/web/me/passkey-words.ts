import { inBoth } from '../words/spoken.tsx'

const en = {
  passkeys: 'Passkeys',
  passkeysHelp:
    'A passkey of your telephone, computer or security key takes the place of the code when you log in. It works only at this address, so a page that imitates this one cannot use it.',
  none: 'You have no passkey yet.',
  register: 'Register a passkey',
  registerText: 'Your browser then asks where to keep it.',
  name: 'Name of the passkey',
  nameHelp: 'Such as the device that holds it.',
  registered: (name: string) => `The passkey ${name} is registered.`,
  rename: 'Rename',
  renamePasskey: (name: string) => `Rename the passkey ${name}`,
  renameTitle: 'Rename this passkey',
  renamed: (name: string) => `The passkey is called ${name} now.`,
  removePasskey: (name: string) => `Remove the passkey ${name}`,
  removeTitle: 'Remove this passkey?',
  removeText: (name: string) => `${name} opens no new session from then on. Delete it on the device too.`,
  passkeyRemoved: (name: string) => `The passkey ${name} is removed.`,
}

const sv: typeof en = {
  passkeys: 'Lösennycklar',
  passkeysHelp:
    'En lösennyckel i din telefon, dator eller säkerhetsnyckel ersätter koden när du loggar in. Den fungerar bara på den här adressen, så en sida som härmar den här kan inte använda den.',
  none: 'Du har ingen lösennyckel än.',
  register: 'Registrera en lösennyckel',
  registerText: 'Webbläsaren frågar sedan var den ska sparas.',
  name: 'Lösennyckelns namn',
  nameHelp: 'Till exempel enheten där den finns.',
  registered: (name: string) => `Lösennyckeln ${name} är registrerad.`,
  rename: 'Byt namn',
  renamePasskey: (name: string) => `Byt namn på lösennyckeln ${name}`,
  renameTitle: 'Byt namn på lösennyckeln',
  renamed: (name: string) => `Lösennyckeln heter ${name} nu.`,
  removePasskey: (name: string) => `Ta bort lösennyckeln ${name}`,
  removeTitle: 'Ta bort lösennyckeln?',
  removeText: (name: string) => `${name} öppnar ingen ny session därefter. Ta bort den på enheten också.`,
  passkeyRemoved: (name: string) => `Lösennyckeln ${name} är borttagen.`,
}

export const passkeyWords = inBoth(en, sv)
