import { inBoth } from '../words/spoken.tsx'

/** Of what the audit trail tells of an object. */
export const trailWords = inBoth(
  {
    title: (object: string) => `Who saw ${object}`,
    kind: 'Who saw an object',
    introduction:
      'Every look, every secret that was shown or copied, and every change: from the audit trail, the newest first.',
    ofMachine: (machine: string) =>
      `From the trail of the machine ${machine}, which has answered. Others have trails of their own.`,
    when: 'When',
    who: 'Who',
    what: 'What',
    from: 'From',
    nothing: 'Nothing is found in this part of the trail.',
    lookedBack: 'The trail has been looked through to its beginning.',
    further: 'Look further back',
    userNumber: (id: string) => `user ${id}`,
    refused: 'refused',
    alarm: 'with an alarm',
    secrets: (fields: string) => `Read ${fields}`,
    itsFile: 'its file',
    acts: {
      'object.read': 'Opened',
      'object.create': 'Created',
      'object.edit': 'Changed',
      'object.delete': 'Deleted',
      'object.alarm': 'Alarm set or taken away',
      'object.move': 'Moved',
      'object.copy': 'Copied',
    },
  },
  {
    title: (object) => `Vem har sett ${object}`,
    kind: 'Vem har sett ett objekt',
    introduction:
      'Varje titt, varje hemlighet som har visats eller kopierats, och varje ändring: ur granskningsloggen, det nyaste först.',
    ofMachine: (machine) => `Ur loggen på maskinen ${machine}, som har svarat. Andra har egna loggar.`,
    when: 'När',
    who: 'Vem',
    what: 'Vad',
    from: 'Från',
    nothing: 'Inget hittas i den här delen av loggen.',
    lookedBack: 'Loggen är genomsökt till sin början.',
    further: 'Sök längre tillbaka',
    userNumber: (id) => `användare ${id}`,
    refused: 'nekades',
    alarm: 'med larm',
    secrets: (fields) => `Läste ${fields}`,
    itsFile: 'filen',
    acts: {
      'object.read': 'Öppnade',
      'object.create': 'Skapade',
      'object.edit': 'Ändrade',
      'object.delete': 'Raderade',
      'object.alarm': 'Larmet sattes eller togs bort',
      'object.move': 'Flyttade',
      'object.copy': 'Kopierade',
    },
  },
)
