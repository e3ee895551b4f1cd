import { afterAll, beforeAll, expect, it } from 'vitest'
import { installAppliance, type InstalledAppliance } from '../support/installed-appliance.ts'
import { describeInMachines } from '../support/machine.ts'

const credentials = '/etc/strongroom/credentials'
const pin = `${credentials}/pin`
/** As root of the machine, with what the units and the console have. */
const shown = (file: string) => `systemd-creds decrypt --name=pin ${file} -`
const restart = "systemctl restart strongroom-keeper.service 'strongroom-token@*.service'"
const untilReady = 'for i in $(seq 100); do strongroom token status >/dev/null && exit; sleep 0.2; done; exit 1'

describeInMachines('the PIN of an appliance that systemd runs', () => {
  let appliance: InstalledAppliance
  const must = (line: string) => appliance.machine.must(line)
  const said = async (line: string) => {
    const { stdout, stderr } = await appliance.machine.run(line)
    return stdout + stderr
  }
  /** What doctor says of the token that is no praise. */
  const problems = async (): Promise<string> => {
    const { findings } = JSON.parse(await must('strongroom --json doctor || true'))
    const bad = findings.filter(({ state }: { state: string }) => state !== 'ok')
    return bad.map(({ detail }: { detail: string }) => detail).join('\n')
  }

  beforeAll(async () => {
    appliance = await installAppliance()
  })
  afterAll(() => appliance.machine.end())

  it('is changed while the services run, which are restarted and have it after a reboot too', async () => {
    const before = await must(`cat ${pin}`)
    const owner = await must(`stat -c '%U %a' ${pin}`)
    expect(await must('strongroom token change-pin')).toContain('Restarted: strongroom-keeper.service')
    expect(await must(`cat ${pin}`)).not.toBe(before)
    expect(await must(`stat -c '%U %a' ${pin}`)).toBe(owner)
    await must('strongroom token status')
    expect(await problems()).not.toContain('PIN')
    await appliance.machine.reboot()
    await must(untilReady)
  })

  it('that is wrong is tried once by all services, and doctor says since when; the right one is taken after a restart', async () => {
    await must(`cp -p ${pin} /root/right && printf 000000 >/root/wrong && cat /root/wrong >${pin} && ${restart}`)
    await said('strongroom token status')
    for (let round = 0; round < 3; round++)
      expect(await problems()).toMatch(/refused the PIN at 20\d\d-[^(]* UTC \(CKR_PIN_INCORRECT\)/)
    // The keeper, two hosts, the key maker, and each run of doctor: one refusal, remembered at one time.
    const times = await must(
      `journalctl -o cat -u strongroom-keeper -u 'strongroom-token@*' | grep -o 'refused the PIN at [^(]*' | sort -u`,
    )
    expect(times.trim().split('\n')).toHaveLength(1)
    await must(`cat /root/right >${pin} && ${restart}`)
    await must(untilReady)
  })

  it('of a change that was broken off after the token had it, is found by the services, and put in its place', async () => {
    const before = await must(`cat ${pin}`)
    await must(
      `cp -p ${pin} /root/before && strongroom token change-pin && mv ${pin} ${pin}.next && cp -p /root/before ${pin}`,
    )
    await appliance.machine.reboot()
    await must(untilReady)
    expect(await problems()).toContain('a change of the PIN was interrupted')
    expect(await must('strongroom token change-pin')).toContain('is finished')
    expect(await must(`cat ${pin}`)).not.toBe(before)
    await must(`test ! -e ${pin}.next && ${restart}`)
    await must(untilReady)
    expect(await problems()).not.toContain('PIN')
  })

  it('that systemd-creds has encrypted is changed as well', async () => {
    await must(`cd ${credentials} && systemd-creds encrypt --with-key=host --name=pin pin pin.cred && rm pin
      for unit in strongroom-token@ strongroom-keeper; do
        install -D -m 0644 /usr/lib/strongroom/systemd/encrypted-pin.conf /etc/systemd/system/$unit.service.d/encrypted-pin.conf
      done
      systemctl daemon-reload && ${restart}`)
    await must(untilReady)
    const before = await must(shown(`${pin}.cred`))
    expect(await must('strongroom token change-pin --with-key host')).toContain(`${pin}.cred`)
    expect(await must(shown(`${pin}.cred`))).not.toBe(before)
    await appliance.machine.reboot()
    await must(untilReady)
    expect(await must(`ls ${credentials}`)).not.toMatch(/next|^pin$/m)
  })
})
