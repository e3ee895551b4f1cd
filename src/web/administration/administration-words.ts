import { inBoth } from '../words/language.tsx'

/** The texts that several parts of the administration use. */
export const administrationWords = inBoth(
  {
    parts: {
      users: 'Users',
      services: 'Service accounts',
      audit: 'Audit trail',
      state: 'Status',
      policies: 'Policies',
      templates: 'Templates',
    },
    partsLabel: 'Administration sections',
    edit: 'Edit',
    save: 'Save',
    remove: 'Remove',
    never: 'Never',
    onMachine: 'Run this on the machine of the appliance:',
    once: 'This is shown only once. After you close it, you cannot see it again.',
    leaving: {
      title: 'Leave without it?',
      text: 'This is shown only once, and you cannot see it again.',
      leave: 'Leave without it',
    },
    done: 'Done',
    copySecret: 'Copy',
    qr: 'QR code of the setup key',
  },
  {
    parts: {
      users: 'Användare',
      services: 'Tjänstekonton',
      audit: 'Granskningslogg',
      state: 'Status',
      policies: 'Lösenordspolicyer',
      templates: 'Mallar',
    },
    partsLabel: 'Delar av administrationen',
    edit: 'Redigera',
    save: 'Spara',
    remove: 'Ta bort',
    never: 'Aldrig',
    onMachine: 'Kör detta på systemets maskin:',
    once: 'Detta visas bara en gång. När du har stängt kan du inte se det igen.',
    leaving: {
      title: 'Lämna utan det?',
      text: 'Detta visas bara en gång, och du kan inte se det igen.',
      leave: 'Lämna utan det',
    },
    done: 'Klar',
    copySecret: 'Kopiera',
    qr: 'QR-kod för nyckeln',
  },
)
