import { inBoth } from '../words/spoken.tsx'

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
      ready: 'The appliance serves calls',
      not_ready: 'The appliance does not serve calls',
      stopping: 'The appliance is stopping',
      unknown: 'The state is not known at this moment',
    },
    release: 'Release',
    lookedAt: 'Looked at',
    lookAgain: 'Look again',
    checks: 'Checks',
    checkNames: english,
    checkStates: { ok: 'In order', warning: 'Warning', failed: 'Failed' },
    warnings: 'To see to',
    noWarnings: 'The daemon warns of nothing.',
    warningStates: { warning: 'Warning', problem: 'Problem' },
    doctor:
      'This is what the machine that answered sees of itself. Disks, the room of the token, clock, certificates, revocation lists and backups are judged as on the machine; what is not its daemon’s to see, such as the release of Node.js, permissions of files and the seals of the whole audit trail, is looked at there alone:',
  },
  {
    states: {
      ready: 'Systemet betjänar anrop',
      not_ready: 'Systemet betjänar inte anrop',
      stopping: 'Systemet stannar',
      unknown: 'Tillståndet är inte känt just nu',
    },
    release: 'Version',
    lookedAt: 'Kontrollerat',
    lookAgain: 'Kontrollera igen',
    checks: 'Kontroller',
    checkNames: swedish,
    checkStates: { ok: 'I ordning', warning: 'Varning', failed: 'Fel' },
    warnings: 'Att åtgärda',
    noWarnings: 'Tjänsten varnar inte för något.',
    warningStates: { warning: 'Varning', problem: 'Problem' },
    doctor:
      'Detta ser maskinen som svarade av sig själv. Diskar, utrymmet i token, klocka, certifikat, spärrlistor och säkerhetskopior bedöms som på maskinen; det som inte är tjänstens att se, som Node.js-versionen, filers behörigheter och hela granskningsloggens sigill, undersöks bara där:',
  },
)
