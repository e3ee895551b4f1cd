import { inBoth } from '../words/language.tsx'

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
    checkStates: { ok: 'OK', warning: 'Varning', failed: 'Fel' },
    warnings: 'Att åtgärda',
    noWarnings: 'Inga varningar från tjänsten.',
    warningStates: { warning: 'Varning', problem: 'Problem' },
    doctor:
      'Detta är vad maskinen som svarade ser av sig själv. Diskar, ledigt utrymme i token, klocka, certifikat, spärrlistor och säkerhetskopior bedöms som på maskinen. Kontroller som tjänsten inte kan göra, till exempel av Node.js-versionen, filbehörigheter och hela granskningsloggens sigill, görs bara där:',
  },
)
