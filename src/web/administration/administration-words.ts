import { inBoth } from '../words/spoken.tsx'

/** The texts that several parts of the administration use. */
export const administrationWords = inBoth(
  {
    parts: {
      users: 'Users',
      services: 'Service accounts',
      audit: 'Audit',
      state: 'State',
      policies: 'Policies',
      templates: 'Templates',
    },
    partsLabel: 'Parts of the administration',
    notAllowed: 'This is for administrators',
    notAllowedHelp:
      'Your account does not have the capability that this needs. Where you have got it just now, log out and in again.',
    edit: 'Edit',
    save: 'Save',
    remove: 'Remove',
    never: 'Never',
    onMachine: 'On the machine of the appliance:',
    once: 'This is shown once and kept nowhere. When you close it, it is gone.',
    done: 'I have it',
    copySecret: 'Copy',
    qr: 'QR code of the seed',
  },
  {
    parts: {
      users: 'Användare',
      services: 'Tjänstekonton',
      audit: 'Granskningslogg',
      state: 'Tillstånd',
      policies: 'Lösenordspolicyer',
      templates: 'Mallar',
    },
    partsLabel: 'Delar av administrationen',
    notAllowed: 'Detta är för administratörer',
    notAllowedHelp: 'Ditt konto saknar den behörighet som krävs. Har du just fått den, logga ut och in igen.',
    edit: 'Redigera',
    save: 'Spara',
    remove: 'Ta bort',
    never: 'Aldrig',
    onMachine: 'På systemets maskin:',
    once: 'Detta visas en gång och sparas ingenstans. När du stänger är det borta.',
    done: 'Jag har det',
    copySecret: 'Kopiera',
    qr: 'QR-kod för fröet',
  },
)
