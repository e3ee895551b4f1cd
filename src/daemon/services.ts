import { randomUUID } from 'node:crypto'
import { createApplianceCommit } from '../audit/recorded-commit.ts'
import type { AuditTrail } from '../audit/event.ts'
import type { Clock } from '../clock.ts'
import { createCertificates, type Certificates } from '../features/certificates/registry.ts'
import { enabledSmartcard, type Config } from '../config/schema.ts'
import { smartcardDefaults } from '../config/smartcard-section.ts'
import { createGenerator, type Generator } from '../features/passwords/generator.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { createApplicationKeys, type ApplicationKeys } from '../features/auth/application-key.ts'
import type { LoginType } from '../features/auth/credentials.ts'
import { createLogin, type Login } from '../features/auth/login.ts'
import { createPassphraseChanges, type PassphraseChanges } from '../features/auth/passphrase-change.ts'
import { createProofs } from '../features/auth/credential-check.ts'
import { createCardReader, revocationWarnings, type CardReader } from '../features/auth/smartcard-login.ts'
import { createThrottle, type Throttle } from '../features/auth/throttle.ts'
import { createDevices, createSecondFactors, type Devices } from '../features/otp/devices.ts'
import { createAllowance } from '../features/objects/allowance.ts'
import { createObjectDestruction, type ObjectDestruction } from '../features/objects/destruction.ts'
import { createFieldCipher } from '../features/objects/field-cipher.ts'
import { createFileStore } from '../features/objects/file-store.ts'
import { detectMimeType } from '../features/files/mime-detection.ts'
import { createObjects, type Objects } from '../features/objects/object.ts'
import { createObjectReading, type ObjectReading } from '../features/objects/reading.ts'
import { createEnrolments, type Enrolments } from '../features/otp/enrolment.ts'
import { createOtps, type OtpDependencies, type Otps } from '../features/otp/otp.ts'
import { createResync, type Resync, type TryLimit } from '../features/otp/resync.ts'
import { findPolicy, type PasswordPolicy } from '../features/passwords/policies.ts'
import { createSessions, type Sessions } from '../features/auth/sessions.ts'
import { breaksPolicy } from '../features/passwords/rules.ts'
import type { Store, Tx } from '../store/store.ts'
import { createSiteTemplates, type SiteTemplates } from '../features/templates/site-templates.ts'
import { createTemplates, type Templates } from '../features/templates/templates.ts'
import { createInvocations } from '../features/transparent/invocations.ts'
import { createCiphers, type Ciphers } from '../features/transparent/ciphers.ts'
import { createDataKeys, type DataKeys } from '../features/transparent/data-keys.ts'
import { createKeyDeletion, type KeyDeletion } from '../features/transparent/key-deletion.ts'
import { createKeyVersions } from '../features/transparent/key-versions.ts'
import { createKeyring, type Keyring, type KeyringDependencies } from '../features/transparent/keyring.ts'
import { createSignatures, type Signatures } from '../features/transparent/signatures.ts'
import { createTransfers, type Transfers } from '../features/transparent/transfers.ts'
import { createPassphrases } from '../features/users/passphrase.ts'
import { createUsers, type Users } from '../features/users/user.ts'
import { createMemberships, type Memberships } from '../features/vaults/membership.ts'
import { createVaultKeys } from '../features/vaults/vault-key.ts'
import { createValidationClients, type ValidationClients } from '../features/otp-validation/client.ts'
import { createVaults, type VaultDependencies, type Vaults } from '../features/vaults/vault.ts'

/** The domain, put together: what a worker serves over HTTP and the console works with directly. */
export interface Services {
  readonly users: Users
  readonly applicationKeys: ApplicationKeys
  readonly otps: Otps
  readonly enrolments: Enrolments
  readonly devices: Devices
  readonly resync: Resync
  readonly validationClients: ValidationClients
  readonly certificates: Certificates
  readonly login: Login
  readonly readCard: CardReader
  readonly sessions: Sessions
  readonly passphraseChanges: PassphraseChanges
  readonly throttle: Throttle
  readonly vaults: Vaults
  readonly generator: Generator
  readonly templates: Templates
  readonly siteTemplates: SiteTemplates
  readonly memberships: Memberships
  readonly objects: Objects
  readonly objectReading: ObjectReading
  readonly objectDestruction: ObjectDestruction
  readonly keyring: Keyring
  readonly keyDeletion: KeyDeletion
  readonly ciphers: Ciphers
  readonly dataKeys: DataKeys
  readonly signatures: Signatures
  readonly transfers: Transfers
}

export interface ServiceDependencies {
  readonly config: Config
  readonly store: Store
  readonly hsm: Hsm
  readonly clock: Clock
  /** Where the appliance records what it does by itself. */
  readonly audit: Pick<AuditTrail, 'append'>
  /** Told of what an operator should see to. */
  readonly report?: (sentence: string, cause?: unknown) => void
}

/** Every login type that is enabled here. */
export function loginTypesOf(config: Config): readonly LoginType[] {
  return [...config.login.types, ...(enabledSmartcard(config) ? (['smartcard'] as const) : [])]
}

export function createServices(dependencies: ServiceDependencies): Services {
  const { config, store, hsm, clock, audit } = dependencies
  const passphrases = createPassphrases({ hsm, cost: config.login.argon2, policy: policyOf(config) })
  const applicationKeys = createApplicationKeys({ store, hsm, clock })
  const sessions = createSessions({ store, clock, limits: config.session })
  const otps = createOtps({
    store,
    hsm,
    clock,
    rules: config.otp,
    enabledTypes: config.login.types,
    alarm: otpAlarm(audit, clock),
  })
  const endSessions = (tx: Tx, userId: number) => sessions.endOthers(tx, userId)
  const smartcards = createSmartcards(dependencies, endSessions)
  const enrolments = createEnrolments({ hsm, clock })
  const devices = createDevices({ store, hsm, otps })
  const throttle = createThrottle({ transaction: (work) => store.transaction(work), clock, rules: config.login })
  const proofs = createProofs({ store, passphrases, otps, throttle, clock })
  const commitAsAppliance = createApplianceCommit({ store, audit, clock })
  const siteTemplates = createSiteTemplates({ store, hsm, clock })
  const templates = createTemplates(siteTemplates)
  const objectServices = createObjectServices({ config, store, hsm, clock, templates, commitAsAppliance })
  const { objectDestruction } = objectServices
  const clearObjects: VaultDependencies['clearObjects'] = (tx, vaultId) => objectDestruction.clearVault(tx, vaultId)
  const vaults = createVaults({ store, vaultKeys: createVaultKeys(hsm, config.hsm.vaultKeys), clock, clearObjects })
  return {
    users: createUsers({
      store,
      hsm,
      passphrases,
      secondFactors: createSecondFactors(devices, enrolments),
      endSessions,
      clock,
    }),
    applicationKeys,
    otps,
    enrolments,
    devices,
    resync: createResync({ store, hsm, clock, window: config.otp.hotpResyncWindow, limit: tryLimit(throttle) }),
    validationClients: createValidationClients({ store, hsm, clock }),
    ...smartcards,
    login: createLogin({
      applicationKeys,
      passphrases,
      proofs,
      sessions,
      throttle,
      clock,
      enabledTypes: loginTypesOf(config),
      siteWarnings: () => revocationWarnings(smartcards.certificates),
      passphraseMaxAgeMs: config.login.passphraseMaxAgeMs,
    }),
    passphraseChanges: createPassphraseChanges({ store, proofs, passphrases, sessions, throttle, clock }),
    throttle,
    sessions,
    vaults,
    generator: createGenerator(hsm),
    siteTemplates,
    memberships: createMemberships({ store, clock }),
    templates,
    ...objectServices,
    ...createTransparentServices({ config, store, hsm, clock, vaults, commitAsAppliance }),
  }
}

/** Commits what the appliance does by itself, after a record that says so. */
interface ByAppliance {
  readonly commitAsAppliance: ReturnType<typeof createApplianceCommit>
}

type TransparentServices = Pick<
  Services,
  'keyring' | 'keyDeletion' | 'ciphers' | 'dataKeys' | 'signatures' | 'transfers'
>

function createTransparentServices({
  config,
  store,
  hsm,
  clock,
  vaults,
  commitAsAppliance,
}: Omit<ServiceDependencies, 'audit'> & Pick<Services, 'vaults'> & ByAppliance): TransparentServices {
  const invocations = createInvocations({ store, hsm, leaseSize: config.transparent.invocationLease })
  const versions = createKeyVersions({ store, hsm, invocations, clock })
  const commitForKey: KeyringDependencies['commitAsAppliance'] = (operation, { vaultId, name }, work) =>
    commitAsAppliance(operation, { vault: String(vaultId), key: name }, work)
  const { recoveryWindowMs } = config.transparent
  const keyring = createKeyring({ store, hsm, versions, invocations, clock, commitAsAppliance: commitForKey })
  return {
    keyring,
    keyDeletion: createKeyDeletion({ store, hsm, clock, recoveryWindowMs, commitAsAppliance: commitForKey }),
    ciphers: createCiphers({
      store,
      hsm,
      keyring,
      versions,
      invocations,
      createsOnUse: async (vaultId) => (await vaults.settings(vaultId)).createsKeysOnUse,
    }),
    dataKeys: createDataKeys({ hsm, keyring, versions, invocations }),
    signatures: createSignatures({ hsm, keyring, versions }),
    transfers: createTransfers({ store, hsm, keyring, versions, clock }),
  }
}

type ObjectServices = Pick<Services, 'objects' | 'objectReading' | 'objectDestruction'>

function createObjectServices({
  config,
  store,
  hsm,
  clock,
  templates,
  commitAsAppliance,
}: Omit<ServiceDependencies, 'audit'> & Pick<Services, 'templates'> & ByAppliance): ObjectServices {
  const fieldCipher = createFieldCipher(hsm)
  const files = createFileStore({ store, hsm, clock })
  const allowance = createAllowance({ totalBytes: 2 * config.files.maxBytes, patienceMs: config.files.readPatienceMs })
  return {
    objects: createObjects({
      fieldCipher,
      files,
      templates,
      clock,
      breaksPolicy: breaksPolicyNamed,
      detectType: detectMimeType,
    }),
    objectReading: createObjectReading({ store, fieldCipher, files, allowance }),
    objectDestruction: createObjectDestruction({ store, files, clock, ...config.objects, commitAsAppliance }),
  }
}

function breaksPolicyNamed(policyId: number, text: string): boolean {
  const policy = findPolicy(policyId)
  return policy !== undefined && breaksPolicy(policy, text)
}

/** Records what an operator must hear of a device whose OTP is refused. */
function otpAlarm(audit: Pick<AuditTrail, 'append'>, clock: Clock): OtpDependencies['alarm'] {
  return (operation, { id, publicId, userId }) =>
    audit.append({
      at: clock.now(),
      operation,
      requestId: randomUUID(),
      outcome: 'noted',
      username: 'appliance',
      target: `user ${userId}: OTP device ${publicId ?? id}`,
    })
}

function policyOf({ login }: Config): PasswordPolicy {
  const policy = findPolicy(login.passphrasePolicy)
  if (policy === undefined) throw new TypeError(`there is no password policy ${login.passphrasePolicy}`)
  return policy
}

/** For tries that no user makes. */
function tryLimit(throttle: Throttle): TryLimit {
  return {
    count: (tx, name, address) => throttle.count(tx, { name, userId: undefined, address }, false),
    forgive: (tx, name, address) => throttle.forgive(tx, { name, userId: undefined, address }),
  }
}

function createSmartcards(
  { config, store, hsm, clock, report = () => {} }: ServiceDependencies,
  endSessions: (tx: Tx, userId: number) => Promise<number>,
): Pick<Services, 'certificates' | 'readCard'> {
  const rules = config.smartcard ?? smartcardDefaults
  const certificates = createCertificates({ store, hsm, clock, rules, endSessions, report })
  return { certificates, readCard: createCardReader(certificates, clock) }
}
