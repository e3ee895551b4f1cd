import { Fault } from '../../fault.ts'
import type { Hsm } from '../hsm.ts'
import type { OnceShown } from '../login-request.ts'
import { otpOutcomes, type OtpState, type OtpVerdict, type ShownOtp } from '../otp-use.ts'
import { listFields, nothing, numberField, sealedFields } from '../protocol/fields.ts'
import type { KeeperOperation } from '../protocol/frame.ts'
import { field, numberIn, sealedIn } from './replies.ts'
import type { Keeper } from './request-router.ts'

/** Requests of a login to the keeper. */
export function loginCalls(keeper: Keeper) {
  const one = async (operation: KeeperOperation, fields: readonly Uint8Array[]): Promise<Buffer> =>
    field(await keeper.call(operation, fields), 0)
  const judged = async (operation: 'checkOtp' | 'useOtp', fields: readonly Uint8Array[]) =>
    verdictIn(await keeper.call(operation, fields))

  return {
    async login({ applicationKey, applicationKeyText, user, hash, factor }) {
      const reply = await keeper.call('login', [
        ...sealedFields(applicationKey),
        applicationKeyText,
        ...sealedFields(user),
        hash,
        ...sealedFields(factor.certificate),
        ...(factor.certificate === undefined ? onceFields(factor) : []),
      ])
      return { ...begunSession(reply), isCheckCurrent: isYes(field(reply, 5)) }
    },
    async freshGrant(grant, user, factor) {
      const fields = [grant.record, grant.seal, user.record, user.seal, ...onceFields(factor)]
      return sealedIn(await keeper.call('freshGrant', fields))
    },
    async passkeyChallenge(grant) {
      const reply = await keeper.call('passkeyChallenge', sealedFields(grant))
      return { issuedAt: numberIn(reply, 0), seal: field(reply, 1) }
    },
    async serviceLogin(account, { kind, shown, issuerKeys = nothing }) {
      const reply = await keeper.call('serviceLogin', [...sealedFields(account), Buffer.from(kind), shown, issuerKeys])
      const [credential, assertion] = [field(reply, 5).toString(), field(reply, 6)]
      const usedUp = assertion.length === 0 ? undefined : { assertion, goodUntil: numberIn(reply, 7) }
      return { ...begunSession(reply), credential, usedUp }
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

/** The session at the beginning of a reply. */
function begunSession(reply: readonly Buffer[]) {
  return {
    token: field(reply, 0).toString(),
    identity: field(reply, 1),
    seal: field(reply, 2),
    createdAt: numberIn(reply, 3),
    expiresAt: numberIn(reply, 4),
  }
}

export const stateFields = ({ device, counter, driftSteps }: OtpState): Uint8Array[] => [
  device.record,
  device.seal,
  numberField(counter),
  numberField(driftSteps),
]

const otpFields = (devices: readonly OtpState[], otp: ShownOtp): Uint8Array[] => [
  ...listFields(devices, stateFields),
  'block' in otp ? otp.block : Buffer.from(otp.code),
]

function onceFields(factor: OnceShown): Uint8Array[] {
  if (!('passkey' in factor)) return [Buffer.from('otp'), ...otpFields(factor.devices, factor.otp)]
  const { passkey, signCount, assertion } = factor.passkey
  const { clientData, authenticatorData, signature } = assertion
  return [
    Buffer.from('passkey'),
    ...sealedFields(passkey),
    numberField(signCount),
    clientData,
    authenticatorData,
    signature,
  ]
}

const isYes = (reply: Buffer): boolean => reply.toString() === '1'

function verdictIn(reply: readonly Buffer[]): OtpVerdict {
  const outcome = otpOutcomes.find((one) => one === field(reply, 0).toString())
  if (outcome === undefined) throw new Fault('hsm.unavailable', 'The keeper is of another release: restart it.')
  const [at, counter, driftSteps] = [numberIn(reply, 1), numberIn(reply, 2), numberIn(reply, 3)]
  return { outcome, at, counter, driftSteps, reading: field(reply, 4) }
}
