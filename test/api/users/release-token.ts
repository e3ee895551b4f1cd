import type { TestClient } from '../../support/client.ts'

/** Takes a hardware token from its user like an administrator, by the id of the device. */
export async function releaseToken(administrator: TestClient, userId: number, publicId: string): Promise<void> {
  const { CALLINFO } = await administrator.must('GET', `/user/${userId}/otp`)
  const devices = CALLINFO['otpdevices'] as { id: string; public_id?: string }[]
  const device = devices.find(({ public_id: held }) => held === publicId)
  await administrator.must('DELETE', `/user/${userId}/otp/${device?.id}`)
}
