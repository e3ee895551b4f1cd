import { inBoth } from '../words/language.tsx'
import type { KnownDetails } from './state-sentences.ts'

/** The names of the known checks. An unknown one is shown by its name in the interface. */
type CheckNames = Readonly<Record<string, string>>
const english: CheckNames = {
  workers: 'Workers',
  keeper: 'Keeper',
  token: 'Token',
  database: 'Database',
  audit: 'Audit trail',
  clock: 'Clock',
  certificates: 'Certificates',
}
const swedish: CheckNames = {
  workers: 'Arbetsprocesser',
  keeper: 'Keeper',
  token: 'Token',
  database: 'Databas',
  audit: 'Granskningslogg',
  clock: 'Klocka',
  certificates: 'Certifikat',
}

const englishDetails: KnownDetails = [[/^(\d{4}-.+Z)$/, 'It shows $1.']]
const swedishDetails: KnownDetails = [
  [/^(\d+) of (\d+) listen$/, '$1 av $2 lyssnar.'],
  [/^(\d+) of (\d+) listen, (\d+) of them did not answer$/, '$1 av $2 lyssnar. Av dem svarade $3 inte.'],
  [/^it seals$/, 'Den förseglar.'],
  [/^the token refused the keeper the PIN$/, 'Token godtog inte dess PIN-kod.'],
  [/^the keeper is down$/, 'Den är nere.'],
  [/^(\d+) of (\d+) token hosts are ready$/, '$1 av $2 tokenvärdar är redo.'],
  [
    /^(\d+) of (\d+) token hosts are ready, and the token refused the PIN$/,
    '$1 av $2 tokenvärdar är redo. Token godtog inte PIN-koden.',
  ],
  [
    /^the token refused the maker of RSA keys the PIN$/,
    'Token godtog inte PIN-koden för processen som skapar RSA-nycklar.',
  ],
  [/^the maker of RSA keys is down$/, 'Processen som skapar RSA-nycklar är nere.'],
  [/^no worker reaches it$/, 'Ingen arbetsprocess når den.'],
  [/^not every worker reaches it$/, 'Alla arbetsprocesser når den inte.'],
  [/^its disk is full$/, 'Dess disk är full.'],
  [/^it answers$/, 'Den svarar.'],
  [/^its folder cannot be written to \((.+)\)$/, 'Det går inte att skriva i dess mapp ($1).'],
  [/^(\d+) of (\d+) workers write their chain$/, '$1 av $2 arbetsprocesser skriver sin kedja.'],
  [
    /^the database holds ends of audit chains that no seal confirms: (.+)$/,
    'Databasen innehåller slut på kedjor som inget sigill bekräftar: $1.',
  ],
  [/^(\d{4}-.+Z)$/, 'Den visar $1.'],
  [
    /^it is (\d+) s behind the last thing that the appliance did$/,
    'Den går $1 s efter det senaste som systemet gjorde.',
  ],
  [/^no certificate can be read$/, 'Inget certifikat kan läsas.'],
  [/^the next to end is (.+), in (\d+) days$/, 'Nästa som går ut är $1, om $2 dagar.'],
  [/^the next to end is (.+), which has ended$/, 'Certifikatet $1 har gått ut.'],
  [/^the certificate of the server has ended$/, 'Serverns certifikat har gått ut.'],
]

/** The texts for the state of the appliance. */
export const stateWords = inBoth(
  {
    states: {
      ready: 'The appliance is serving calls',
      not_ready: 'The appliance is not serving calls',
      stopping: 'The appliance is shutting down',
      unknown: 'The status is currently unknown',
    },
    release: 'Release',
    lookedAt: 'Checked',
    lookAgain: 'Check again',
    checks: 'Checks',
    checkNames: english,
    details: englishDetails,
    checkStates: { ok: 'OK', warning: 'Warning', failed: 'Failed' },
    warnings: 'Needs attention',
    noWarnings: 'No warnings from the daemon.',
    warningStates: { warning: 'Warning', problem: 'Problem' },
    doctor:
      'This is what the machine that answered sees of itself. Disks, free space in the token, clock, certificates, revocation lists and backups are judged as on the machine. Checks that the daemon cannot make, such as the release of Node.js, file permissions and the seals of the whole audit trail, are only made there:',
  },
  {
    states: {
      ready: 'Systemet besvarar anrop',
      not_ready: 'Systemet besvarar inte anrop',
      stopping: 'Systemet stängs av',
      unknown: 'Statusen är okänd just nu',
    },
    release: 'Version',
    lookedAt: 'Kontrollerat',
    lookAgain: 'Kontrollera igen',
    checks: 'Kontroller',
    checkNames: swedish,
    details: swedishDetails,
    checkStates: { ok: 'OK', warning: 'Varning', failed: 'Fel' },
    warnings: 'Att åtgärda',
    noWarnings: 'Inga varningar från tjänsten.',
    warningStates: { warning: 'Varning', problem: 'Problem' },
    doctor:
      'Detta är vad maskinen som svarade ser av sig själv. Diskar, ledigt utrymme i token, klocka, certifikat, spärrlistor och säkerhetskopior bedöms som på maskinen. Kontroller som tjänsten inte kan göra, till exempel av Node.js-versionen, filbehörigheter och hela granskningsloggens sigill, görs bara där:',
  },
)
