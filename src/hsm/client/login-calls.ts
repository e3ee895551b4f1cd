import type { Hsm } from '../hsm.ts'
import type { BegunService, OnceShown } from '../login-request.ts'
import { otpOutcomes, type OtpState, type OtpVerdict, type ShownOtp } from '../otp-use.ts'
import type { KeeperOperation } from '../protocol/frame.ts'
import { sealedFields } from '../protocol/batch-frame.ts'
import { tooFew } from './replies.ts'
import type { RequestRouter } from './request-router.ts'

/** Requests of a login to the keeper. */
export function loginCalls(keeper: Pick<RequestRouter<KeeperOperation>, 'call'>) {
  const one = async (operation: KeeperOperation, fields: readonly Uint8Array[]): Promise<Buffer> => {
    const [reply] = await keeper.call(operation, fields)
    if (reply === undefined) throw tooFew()
    return reply
  }
  const judged = async (operation: 'checkOtp' | 'useOtp', fields: readonly Uint8Array[]) =>
    verdictIn(await keeper.call(operation, fields))

  return {
    async login({ applicationKey, applicationKeyText, user, hash, factor }) {
      const [token, identity, seal, createdAt, expiresAt, isCurrent] = await keeper.call('login', [
        ...sealedFields(applicationKey),
        applicationKeyText,
        ...sealedFields(user),
        hash,
        ...sealedFields(factor.certificate),
        ...(factor.certificate === undefined ? onceFields(factor) : []),
      ])
      if (token === undefined || identity === undefined || seal === undefined || isCurrent === undefined) throw tooFew()
      return {
        token: token.toString(),
        identity,
        seal,
        createdAt: Number(createdAt),
        expiresAt: Number(expiresAt),
        isCheckCurrent: isYes(isCurrent),
      }
    },
    async freshGrant(grant, user, factor) {
      const fields = [grant.record, grant.seal, user.record, user.seal, ...onceFields(factor)]
      const [record, seal] = await keeper.call('freshGrant', fields)
      if (record === undefined || seal === undefined) throw tooFew()
      return { record, seal }
    },
    async passkeyChallenge(grant) {
      const [issuedAt, seal] = await keeper.call('passkeyChallenge', sealedFields(grant))
      if (issuedAt === undefined || seal === undefined) throw tooFew()
      return { issuedAt: Number(issuedAt), seal }
    },
    async serviceLogin(account, { kind, shown, issuerKeys = nothing }) {
      return begunIn(
        await keeper.call('serviceLogin', [...sealedFields(account), Buffer.from(kind), shown, issuerKeys]),
      )
    },
    newPassphraseCheck: (hash) => one('newPassphraseCheck', [hash]),
    matchesPassphrase: async (check, hash) => isYes(await one('matchesPassphrase', [check ?? nothing, hash])),
    applicationKeyChecks: (key) => keeper.call('applicationKeyCheck', [Buffer.from(key)]),
    seedChecks: ({ kind, keyKind, periodSeconds }, seed) =>
      keeper.call('seedCheck', [
        Buffer.from(kind),
        Buffer.from(keyKind),
        Buffer.from(String(periodSeconds ?? '')),
        seed,
      ]),
    privateIdCheck: (privateId) => one('privateIdCheck', [privateId]),
    sessionTokenSuccessor: (token) => one('sessionTokenSuccessor', [Buffer.from(token)]),
    checkOtp: (devices, otp, holder) => judged('checkOtp', [...otpFields(devices, otp), ...sealedFields(holder)]),
    useOtp: (devices, otp) => judged('useOtp', otpFields(devices, otp)),
    async acceptOtp(client, device, holder, { block, answer }) {
      const shown = [...sealedFields(client), ...stateFields(device), ...sealedFields(holder)]
      const mac = await one('acceptOtp', [...shown, block, Buffer.from(answer)])
      return mac.length === 0 ? undefined : mac
    },
    async resynchroniseOtp(device, codes) {
      const fields = [...stateFields(device), ...codes.map((code) => Buffer.from(code))]
      const counter = (await one('resynchroniseOtp', fields)).toString()
      return counter === '' ? undefined : Number(counter)
    },
  } satisfies Partial<Hsm>
}

function begunIn(reply: readonly Buffer[]): BegunService {
  const [token, identity, seal, createdAt, expiresAt, credential, assertion, goodUntil] = reply
  if (token === undefined || identity === undefined || seal === undefined) throw tooFew()
  if (credential === undefined || assertion === undefined) throw tooFew()
  return {
    token: token.toString(),
    identity,
    seal,
    createdAt: Number(createdAt),
    expiresAt: Number(expiresAt),
    credential: credential.toString(),
    usedUp: assertion.length === 0 ? undefined : { assertion, goodUntil: Number(goodUntil) },
  }
}

export const stateFields = ({ device, counter, driftSteps }: OtpState): Uint8Array[] => [
  device.record,
  device.seal,
  number(counter),
  number(driftSteps),
]

const otpFields = (devices: readonly OtpState[], otp: ShownOtp): Uint8Array[] => [
  number(devices.length),
  ...devices.flatMap(stateFields),
  'block' in otp ? otp.block : Buffer.from(otp.code),
]

function onceFields(factor: OnceShown): Uint8Array[] {
  if (!('passkey' in factor)) return [Buffer.from('otp'), ...otpFields(factor.devices, factor.otp)]
  const { passkey, signCount, assertion } = factor.passkey
  const { clientData, authenticatorData, signature } = assertion
  return [Buffer.from('passkey'), ...sealedFields(passkey), number(signCount), clientData, authenticatorData, signature]
}

const nothing = Buffer.alloc(0)
const isYes = (reply: Buffer): boolean => reply.toString() === '1'
const number = (value: number): Buffer => Buffer.from(String(value))

function verdictIn([outcome, at, counter, driftSteps, reading]: readonly Buffer[]): OtpVerdict {
  const known = otpOutcomes.find((one) => one === outcome?.toString())
  if (known === undefined || reading === undefined) throw tooFew()
  return { outcome: known, at: Number(at), counter: Number(counter), driftSteps: Number(driftSteps), reading }
}
