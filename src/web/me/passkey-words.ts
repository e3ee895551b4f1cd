import { inBoth } from '../words/language.tsx'

const en = {
  passkeys: 'Passkeys',
  passkeysHelp:
    'A passkey on your phone, computer or security key replaces the code when you log in. It works only at this address, so a page that imitates this one cannot use it.',
  none: 'You have no passkeys yet.',
  register: 'Register passkey',
  registerText: 'Your browser then asks where to save it.',
  name: 'Passkey name',
  nameHelp: 'For example the device that holds it.',
  registered: (name: string) => `Passkey ${name} registered.`,
  rename: 'Rename',
  renamePasskey: (name: string) => `Rename the passkey ${name}`,
  renameTitle: 'Rename passkey',
  renamed: (name: string) => `Passkey renamed to ${name}.`,
  removePasskey: (name: string) => `Remove the passkey ${name}`,
  removeTitle: 'Remove this passkey?',
  removeText: (name: string) => `You can no longer log in with ${name}. Delete it on the device too.`,
  passkeyRemoved: (name: string) => `Passkey ${name} removed.`,
}

const sv: typeof en = {
  passkeys: 'Lösennycklar',
  passkeysHelp:
    'En lösennyckel i din telefon, dator eller säkerhetsnyckel ersätter koden när du loggar in. Den fungerar bara på den här adressen, så en sida som härmar den här kan inte använda den.',
  none: 'Du har inga lösennycklar ännu.',
  register: 'Registrera lösennyckel',
  registerText: 'Webbläsaren frågar sedan var den ska sparas.',
  name: 'Lösennyckelns namn',
  nameHelp: 'Till exempel enheten där den finns.',
  registered: (name: string) => `Lösennyckeln ${name} har registrerats.`,
  rename: 'Byt namn',
  renamePasskey: (name: string) => `Byt namn på lösennyckeln ${name}`,
  renameTitle: 'Byt namn på lösennyckeln',
  renamed: (name: string) => `Lösennyckeln heter nu ${name}.`,
  removePasskey: (name: string) => `Ta bort lösennyckeln ${name}`,
  removeTitle: 'Ta bort lösennyckeln?',
  removeText: (name: string) => `Du kan inte längre logga in med ${name}. Ta bort den på enheten också.`,
  passkeyRemoved: (name: string) => `Lösennyckeln ${name} har tagits bort.`,
}

export const passkeyWords = inBoth(en, sv)
