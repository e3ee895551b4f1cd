import { createApplication } from '../http/pipeline/application.ts'
import { createClientAddress, createClientIdentity } from '../http/pipeline/client-identity.ts'
import { createDocuments } from '../http/pipeline/document-sending.ts'
import { createQuotas } from '../http/pipeline/quotas.ts'
import { createUnidentifiedCallLimit } from '../http/pipeline/unidentified-call-limit.ts'
import { createPipeline } from '../http/pipeline/pipeline.ts'
import { openPresentStore } from './present-database.ts'
import { startCouriers } from './audit-witnesses.ts'
import { createDiskReserve } from '../audit/disk-reserve.ts'
import { createUnidentifiedRecords, type UnidentifiedRecords } from '../audit/unidentified-records.ts'
import type { AuditTrail } from '../audit/event.ts'
import { createAuditHeads } from '../audit/records.ts'
import { createRetryingTrail, createAuditTrail } from '../audit/trail-writer.ts'
import { systemClock } from '../clock.ts'
import { keyMakerSocketOf } from '../config/key-maker-socket.ts'
import { chainName } from '../config/chain-name.ts'
import { keeperOf } from '../config/keeper-section.ts'
import { enabledSmartcard, type Config } from '../config/schema.ts'
import { allEndpoints } from './endpoints.ts'
import { isFault, type Fault } from '../fault.ts'
import { createHsmClient } from '../hsm/client/hsm-client.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { type FloorCourierOptions, startFloorCourier } from './floor-courier.ts'
import { createHashThreads } from './hash-threads.ts'
import { checkMachineName } from './machine-name.ts'
import { createBelievedClock } from './believed-clock.ts'
import { startHousekeeping } from './housekeeping.ts'
import { recordedRows } from './recorded-rows.ts'
import { clientCertificates, createListeners, joinListeners, type JoinedListeners } from './listeners.ts'
import { readWebFiles } from '../http/routes/web-files.ts'
import type { PresentedCertificate, ServerOptions } from '../http/server/server.ts'
import type { Log } from '../log.ts'
import { endOfCertificates } from './monitor/certificate-ends.ts'
import { createWorkerCounts, type WorkerCounts } from './monitor/worker-counts.ts'
import { createServices, loginTypesOf, type Services } from './services.ts'
import { createAuthenticator } from '../features/auth/authentication.ts'
import type { Store } from '../store/store.ts'
import { checkTakenOver } from './row-takeover.ts'
import { createRateLimit } from '../features/otp-validation/rate-limit.ts'
import { createVerifyHandler } from '../features/otp-validation/routes/validate-otp.ts'
import { createValidator, type ValidatorDependencies } from '../features/otp-validation/validator.ts'
import { findSealedMembership } from '../features/vaults/vault-seals.ts'
import type { Appliance, ApplianceOptions } from './worker-process.ts'

/** Creates one worker: all services, the interface and its listeners. */
export async function createAppliance({ config, slot, askState, log }: ApplianceOptions): Promise<Appliance> {
  const clock = systemClock
  const store = await openPresentStore(config)
  await checkTakenOver(store.read)
  const counts = createWorkerCounts()
  const hsm = openHsm(config, counts)
  const audit = await openTrail({ config, slot, log }, { store, hsm, counts })
  const hashPassphrase = createHashThreads(config.login.argon2.concurrency)
  const services = createServices({ config, store, hsm, clock, audit, hashPassphrase, report: reportProblem(log) })
  const smartcard = enabledSmartcard(config)
  const clientAddress = createClientAddress(config.http.proxies)
  const authenticator = createAuthenticator({
    store,
    hsm,
    clock,
    membershipOf: (user, vaultId) => findSealedMembership(store.read, user, vaultId),
    rules: config.session,
    commitAsAppliance: services.commitAsAppliance,
    cardRejection: (userId, fingerprint) =>
      smartcard
        ? services.certificates.rejectReason(userId, fingerprint)
        : Promise.resolve('smartcards are turned off'),
    report: (sessionId, username) =>
      log.warn({ sessionId, username }, 'a replaced session token was used again: the session was ended'),
  })
  const unidentified = openUnidentified(config, audit, log)
  const ofCalls = {
    clientIdentity: createClientIdentity(clientAddress, smartcard),
    clock,
    count: counts.call,
  }
  const pipeline = createPipeline({
    ...ofCalls,
    unidentifiedCallLimit: createUnidentifiedCallLimit(config.http.unidentifiedCallsPerMinute),
    authenticator,
    audit,
    unidentified,
    store,
    readRows: recordedRows,
    dailyUse: services.dailyItems,
    ...limitsOfCalls(config),
    report: reportFault(log),
    alarm: ({ requestId, operation, target, username, address }) =>
      log.warn({ requestId, operation, target, username, address }, 'an alarm was raised'),
  })
  const endpoints = allEndpoints({ ...services, hsm, askState, ...settingsOfEndpoints(config) })
  const validate = () => createValidation(config, { store, hsm, services, audit: counts.counted(audit), log })
  const application = createApplication(
    endpoints,
    { files: readWebFiles(), send: createDocuments({ ...ofCalls, unidentifiedCallLimit: limitOfFiles(config) }) },
    pipeline,
    log,
  )
  const server = listenersOf(config, log, application, validate)
  const periodic = slot === 1 ? startPeriodicWork(config, { services, store, hsm, log }) : []
  return {
    listen: () => server.listen(),
    leave: () => server.leave(),
    async close() {
      await Promise.all([...periodic.map((work) => work.stop()), server.close()])
      await unidentified.close()
      await audit.close()
      await hsm.close()
      await store.close()
    },
    reload: () => Promise.resolve(server.reloadCertificate()),
    report: (withRowCounts) => withCertificate(counts.report(store, withRowCounts), server.presented()),
  }
}

async function withCertificate<T>(counted: Promise<T>, { certificate, isNewRefused }: PresentedCertificate) {
  const end = endOfCertificates(Buffer.from(certificate))
  return { ...(await counted), certificate: { end, isNewRefused } }
}

type Handle = ServerOptions['handle']

function listenersOf(config: Config, log: Log, application: Handle, validate: () => Handle): JoinedListeners {
  const listener = createListeners(config, log)
  const smartcard = enabledSmartcard(config)
  return joinListeners([
    listener('http', config.http, application),
    ...(config.validator.enabled ? [listener('validator', config.validator, validate())] : []),
    // Client certificates are requested for the whole interface: node:tls cannot request one per path.
    ...(smartcard
      ? [listener('smartcard', { ...smartcard, host: config.http.host }, application, clientCertificates(smartcard))]
      : []),
  ])
}

interface ValidationParts extends Pick<ValidatorDependencies, 'store' | 'hsm' | 'audit'> {
  readonly services: Services
  readonly log: Log
}

function createValidation({ validator, http }: Config, { services, log, ...parts }: ValidationParts) {
  const { requestsPerSecond } = validator
  return createVerifyHandler(
    createValidator({ ...parts, otps: services.otps, clock: systemClock, ...validationReports(log) }),
    createRateLimit({ requestsPerSecond, report: reportRateLimit(log) }),
    createClientAddress(http.proxies),
  )
}

/** The periodic work, which the first worker alone does. */
const startPeriodicWork = (
  config: Config,
  on: FloorCourierOptions & { readonly services: Services; readonly log: Log },
) => [
  startHousekeeping({
    ...on,
    believedClock: createBelievedClock({ directory: config.audit.directory, clock: systemClock, log: on.log }),
  }),
  startCouriers(config, on.log),
  // SQLite: no other machine uses the database.
  ...(config.store.postgresUrlFile === undefined ? [] : [startFloorCourier(on)]),
]

function openUnidentified({ audit: { directory }, http }: Config, audit: AuditTrail, log: Log): UnidentifiedRecords {
  return createUnidentifiedRecords({
    audit,
    clock: systemClock,
    perInterval: http.unidentifiedRecordsPerMinute,
    hasRoom: createDiskReserve(directory),
    report: (error) => log.error({ err: error }, 'the counts of calls without a session cannot be recorded'),
  })
}

/**
 * Weight of a console file in the limit of calls without a session: a first visit loads some fifteen files, and an
 * office shares one address.
 */
const filesPerCall = 10

/**
 * A limit of its own, so that refused calls from a network, for example those of an attacker, do not keep others there
 * from loading the page.
 */
const limitOfFiles = ({ http }: Config) => createUnidentifiedCallLimit(filesPerCall * http.unidentifiedCallsPerMinute)

const limitsOfCalls = ({ http, files, quotas }: Config) => ({
  maxBodyBytes: http.maxBodyBytes,
  maxFileBytes: files.maxBytes,
  maxUnidentifiedBytes: http.maxUnidentifiedBytes,
  maxIdentifiedBytes: http.maxIdentifiedBytes,
  quotas: createQuotas({
    keys: quotas.keysPerMinute,
    rsaKeys: quotas.rsaKeysPerMinute,
    passphrases: quotas.passphrasesPerMinute,
    files: quotas.filesPerMinute,
    links: quotas.linksPerMinute,
    longLists: quotas.longListsPerMinute,
    relocations: quotas.relocationsPerMinute,
  }),
})

const settingsOfEndpoints = (config: Config) => ({
  loginTypes: loginTypesOf(config),
  keyDefaults: config.transparent,
  maxFileBytes: config.files.maxBytes,
  maxBodyBytes: config.http.maxBodyBytes,
})

function openHsm(config: Config, { token }: WorkerCounts): Hsm {
  const { sockets, deadlineMs, queue } = config.hsm
  return createHsmClient({
    sockets,
    keyMakerSocket: keyMakerSocketOf(config.hsm),
    keeper: keeperOf(config).socket,
    deadlineMs,
    queue,
    watch: token,
  })
}

async function openTrail(
  { config, slot, log }: Pick<ApplianceOptions, 'config' | 'slot' | 'log'>,
  { store, hsm, counts }: { readonly store: Store; readonly hsm: Hsm; readonly counts: WorkerCounts },
): Promise<AuditTrail> {
  const heads = createAuditHeads(store)
  await checkMachineName(config, heads, hsm).catch((error: unknown) => {
    // Any other fault means that the keeper could not be asked: the retries below ask again before they open the trail.
    if (isFault(error, 'audit.unavailable')) throw error
  })
  return createRetryingTrail(
    async () => {
      await checkMachineName(config, heads, hsm)
      const chain = chainName(config, `worker-${slot}`)
      return createAuditTrail({ ...config.audit, chain, hsm, heads, clock: systemClock, log, state: counts.trail })
    },
    (error) => log.error({ err: error }, 'the audit trail cannot be opened: every call is refused until it can'),
  )
}

const reportProblem = (log: Log) => (sentence: string, cause?: unknown) =>
  log.warn(cause === undefined ? {} : { err: cause }, sentence)

const reportFault = (log: Log) => (requestId: string, fault: Fault) =>
  log.error({ requestId, code: fault.code, err: fault.cause ?? fault }, fault.detail ?? 'a call failed')

const validationReports = (log: Log): Pick<ValidatorDependencies, 'report' | 'warn'> => ({
  report: (requestId, error) =>
    log.error({ requestId, err: error }, 'an OTP could not be validated, and was answered with BACKEND_ERROR'),
  warn: (requestId, publicId, warnings) =>
    log.warn({ requestId, publicId, warnings }, 'an OTP was validated with warnings: it is fresh, but unusual'),
})

const reportRateLimit = (log: Log) => (address: string) =>
  log.warn({ address }, 'this address asks the validator more often than validator.requestsPerSecond allows')
