import { createAttestation, type Attestation } from '../features/passkeys/attestation.ts'
import { createChallenges, type Challenges } from '../features/passkeys/challenges.ts'
import { createPasskeys, type Passkeys } from '../features/passkeys/passkeys.ts'
import { passkeyRulesOf } from '../config/passkey-section.ts'
import type { PasskeyRules } from '../hsm/passkey-assertion.ts'
import { createApplianceCommit, type ApplianceCommit } from '../audit/recorded-commit.ts'
import { recordedRows } from './recorded-rows.ts'
import type { AuditTrail } from '../audit/event.ts'
import type { Clock } from '../clock.ts'
import { createVisibleRecords, type VisibleRecords } from '../features/audit/visible-trail.ts'
import { createCertificates, type Certificates } from '../features/certificates/user-certificates.ts'
import { enabledSmartcard, type Config } from '../config/schema.ts'
import { smartcardDefaults } from '../config/smartcard-section.ts'
import { createGenerator, type Generator } from '../features/passwords/generator.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { createAuth, type AuthServices } from '../features/auth/auth-services.ts'
import type { LoginType } from '../features/auth/credentials.ts'
import { createIssuerKeys, type UrlIssuer } from '../features/auth/issuer-keys.ts'
import { createThrottle, type Throttle } from '../features/auth/throttle.ts'
import { createDestruction, type Destruction } from '../features/destruction/pending-destruction.ts'
import { createSecondFactors } from '../features/otp/devices.ts'
import { detectMimeType } from '../features/files/mime-types.ts'
import { createOtp, type OtpServices } from '../features/otp/otp-services.ts'
import type { ResyncLimit } from '../features/otp/resync.ts'
import { findPolicy, type PasswordPolicy } from '../features/passwords/policies.ts'
import { createServiceSessions } from '../features/auth/service-sessions.ts'
import { createSessions } from '../features/auth/sessions.ts'
import type { Store, Tx } from '../store/store.ts'
import { createSiteTemplates, type SiteTemplates } from '../features/templates/site-templates.ts'
import { createTemplates, type Templates } from '../features/templates/templates.ts'
import { countObjects } from '../features/objects/records.ts'
import { createObjectServices, type ObjectServices } from '../features/objects/object-services.ts'
import { createLinks, type Links } from '../features/links/links.ts'
import { createServiceAccounts, type ServiceAccounts } from '../features/services/service-accounts.ts'
import { createVaultServices, type VaultServices } from '../features/vaults/vault-services.ts'
import { createTransparent, type TransparentServices } from '../features/transparent/transparent-services.ts'
import { createOwnAccounts, type OwnAccounts } from '../features/me/own-account.ts'
import { createOwnDevices, type OwnDevices } from '../features/me/own-devices.ts'
import { createPassphrases } from '../features/users/passphrase.ts'
import { hashInPool, type PassphraseHash } from '../features/users/passphrase-hash.ts'
import { createRecoveries, type Recoveries } from '../features/users/recovery.ts'
import { createUsers, type Users } from '../features/users/user.ts'
import { createValidationClients, type ValidationClients } from '../features/otp-validation/validation-client.ts'

/** All services of the domain: a worker offers them over HTTP, and the console calls them directly. */
export interface Services extends AuthServices, OtpServices, VaultServices, ObjectServices, TransparentServices {
  readonly commitAsAppliance: ApplianceCommit
  readonly users: Users
  readonly ownAccounts: OwnAccounts
  readonly ownDevices: OwnDevices
  readonly recoveries: Recoveries
  readonly validationClients: ValidationClients
  readonly certificates: Certificates
  readonly passkeys: Passkeys
  readonly challenges: Challenges
  readonly passkeyRules: PasskeyRules | undefined
  readonly attestation: Attestation | undefined
  readonly generator: Generator
  readonly templates: Templates
  readonly siteTemplates: SiteTemplates
  readonly destruction: Destruction
  readonly serviceAccounts: ServiceAccounts
  readonly links: Links
  readonly visibleRecords: VisibleRecords
}

export interface ServiceDependencies {
  readonly config: Config
  readonly store: Store
  readonly hsm: Hsm
  readonly clock: Clock
  /** Where the appliance records its own actions. */
  readonly audit: Pick<AuditTrail, 'append'>
  /** Told of conditions that an operator should attend to. */
  readonly report?: (sentence: string, cause?: unknown) => void
  readonly hashPassphrase?: PassphraseHash
}

/** The enabled login types. */
export function loginTypesOf(config: Config): readonly LoginType[] {
  return [...config.login.types, ...(enabledSmartcard(config) ? (['smartcard'] as const) : [])]
}

export function createServices(dependencies: ServiceDependencies): Services {
  const { config, store, hsm, clock, audit, report = () => {}, hashPassphrase = hashInPool } = dependencies
  const basics = { store, hsm, clock }
  const throttle = createThrottle({ transaction: (work) => store.transaction(work), clock, rules: config.login })
  const sessions = createSessions({ store, hsm, clock, limits: config.session })
  const endSessions = (tx: Tx, userId: number) => sessions.endOthers(tx, userId)
  const recoveries = createRecoveries({ store, hsm, clock, rule: config.users.recovery, endSessions })
  const passphrases = createPassphrases({ hsm, cost: config.login.argon2, policy: policyOf(config), hashPassphrase })
  const factors = createFactors({ ...dependencies, report }, { throttle, endSessions, recoveries })
  const { otp, certificates, passkeys } = factors
  const { otps, devices, enrolments } = otp
  const secondFactors = createSecondFactors(devices, enrolments)
  const loginRules = { enabledTypes: loginTypesOf(config), passphraseMaxAgeMs: config.login.passphraseMaxAgeMs }
  const serviceSessions = createServiceSessions({
    hsm,
    clock,
    limits: config.session,
    perAccount: config.service.sessionsPerAccount,
  })
  const people = { sessions, serviceSessions, throttle, passphrases, recoveries }
  const shared = { ...basics, ...people, otps, passkeys, certificates }
  const commitAsAppliance = createApplianceCommit({ store, audit, clock, readRows: recordedRows })
  const siteTemplates = createSiteTemplates({ hsm, clock })
  const templates = createTemplates(siteTemplates, store.read)
  const objectServices = createObjectServices({ ...basics, siteTemplates, commitAsAppliance, ...objectRules(config) })
  const destruction = createDestruction({ store, hsm })
  const vaultServices = createVaultServices({
    store,
    hsm,
    destruction,
    clock,
    keyStorage: config.hsm.vaultKeys,
    objects: {
      count: countObjects,
      thin: (vaultId, announce) => objectServices.objectDestruction.thinTrash(vaultId, announce),
      clear: (tx, vaultId) => objectServices.objectDestruction.clearVault(tx, vaultId),
    },
  })
  const onVaults = { store, vaults: vaultServices.vaults }
  const auth = createAuth({
    ...shared,
    ...loginRules,
    issuerKeys: createIssuerKeys(urlIssuersOf(config), clock, report),
  })
  return {
    commitAsAppliance,
    ...otp,
    ...auth,
    serviceAccounts: createServiceAccounts({ ...shared, ...serviceRules(config) }),
    users: createUsers({ store, hsm, passphrases, secondFactors, endSessions, clock }),
    ...createOwned(basics, config),
    ownDevices: createOwnDevices({ ...basics, ...otp, ...auth }),
    recoveries,
    ...factors,
    validationClients: createValidationClients(basics),
    generator: createGenerator(hsm),
    siteTemplates,
    ...vaultServices,
    templates,
    ...objectServices,
    ...createTransparent({ ...onVaults, hsm, clock, destruction, commitAsAppliance, rules: config.transparent }),
    destruction,
    visibleRecords: createVisibleRecords({ ...onVaults, hsm, trail: config.audit }),
  }
}

/** Services for what belongs to one user alone: the own account, and links. */
const createOwned = (basics: Pick<ServiceDependencies, 'store' | 'hsm' | 'clock'>, { links }: Config) => ({
  ownAccounts: createOwnAccounts(basics),
  links: createLinks({ ...basics, rules: links }),
})

const objectRules = ({ objects, files }: Config) => ({
  recoveryWindowMs: objects.recoveryWindowMs,
  fileLimits: files,
  detectType: detectMimeType,
})

/** Services for second factors. */
function createFactors(
  { config, store, hsm, clock, audit, report }: Required<Omit<ServiceDependencies, 'hashPassphrase'>>,
  { throttle, endSessions, recoveries }: SharedByFactors,
) {
  const basics = { store, hsm, clock }
  const { otp: rules, login } = config
  const passkeyRules = passkeyRulesOf(config)
  const attestation = login.webauthn?.attestation
  const challenges = createChallenges(hsm, clock)
  return {
    otp: createOtp({
      ...basics,
      audit,
      rules,
      enabledTypes: login.types,
      resyncLimit: resyncLimitOf(throttle),
      recoveries,
    }),
    certificates: createCertificates({
      ...basics,
      rules: config.smartcard ?? smartcardDefaults,
      endSessions,
      recoveries,
      report,
    }),
    challenges,
    passkeyRules,
    attestation: attestation && createAttestation(attestation, clock, report),
    passkeys: createPasskeys({ ...basics, audit, rules: passkeyRules, challenges }),
  }
}

interface SharedByFactors {
  readonly throttle: Throttle
  readonly endSessions: (tx: Tx, userId: number) => Promise<unknown>
  readonly recoveries: Recoveries
}

const serviceRules = ({ service, users }: Config) => ({
  allowStatic: service.allowStatic,
  issuers: service.issuers.map(({ issuer }) => issuer),
  recovery: users.recovery,
})

const urlIssuersOf = ({ service }: Config): readonly UrlIssuer[] =>
  service.issuers.flatMap(({ issuer, jwksUrl, jwksCa }) => (jwksUrl === undefined ? [] : [{ issuer, jwksUrl, jwksCa }]))

function policyOf({ login }: Config): PasswordPolicy {
  const policy = findPolicy(login.passphrasePolicy)
  if (policy === undefined) throw new TypeError(`there is no password policy ${login.passphrasePolicy}`)
  return policy
}

/** Tries to resynchronise a device count apart from the logins of its user. */
function resyncLimitOf(throttle: Throttle): ResyncLimit {
  return {
    count: (tx, name, address) => throttle.count(tx, { name, userId: undefined, address, isHolder: false }),
  }
}
