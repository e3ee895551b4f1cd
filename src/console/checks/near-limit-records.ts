import { Between, In, IsNull, MoreThanOrEqual, Not } from 'typeorm'
import { usedUpFrom, wornFrom } from '../../daemon/monitor/row-counts.ts'
import { OtpDeviceTable, type OtpDevice } from '../../features/otp/records.ts'
import { KeyVersionTable, TransparentKeyTable, type TransparentKey } from '../../features/transparent/records.ts'
import { mostInvocations } from '../../hsm/rotation-due.ts'
import type { Reader } from '../../store/store.ts'

/** Hardware tokens of users that can be plugged in at most a thousand times more. */
export function wornDevices(reader: Reader, most: number): Promise<OtpDevice[]> {
  return reader.find(OtpDeviceTable, {
    where: { kind: 'hwkey_otp', counter: MoreThanOrEqual(wornFrom), userId: Not(IsNull()) },
    order: { id: 'ASC' },
    take: most,
  })
}

export interface UsedUpKey extends Pick<TransparentKey, 'name' | 'vaultId'> {
  /** Encryptions with its latest version. */
  readonly invocations: number
}

/** Keys whose latest version has used up 75 % of its encryptions. `most` bounds the versions that are read. */
export async function usedUpKeys(reader: Reader, most: number): Promise<UsedUpKey[]> {
  const versions = await reader.find(KeyVersionTable, {
    select: { keyId: true, version: true, invocations: true },
    // A version that is used up was closed for good: the next encryption makes another.
    where: { invocations: Between(usedUpFrom, mostInvocations - 1) },
    order: { keyId: 'ASC', version: 'DESC' },
    take: most,
  })
  const keys = await reader.find(TransparentKeyTable, {
    where: { id: In(versions.map(({ keyId }) => keyId)), deletedAt: IsNull() },
    order: { id: 'ASC' },
  })
  return keys.flatMap(({ id, name, vaultId, latestVersion }) => {
    const latest = versions.find(({ keyId, version }) => keyId === id && version === latestVersion)
    return latest === undefined ? [] : { name, vaultId, invocations: latest.invocations }
  })
}
