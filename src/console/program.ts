import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { addApplicationKeyCreate } from './apikey/create.ts'
import { addApplicationKeyList } from './apikey/list.ts'
import { addApplicationKeyRevoke } from './apikey/revoke.ts'
import { addApplicationKeyShapes } from './apikey/shapes.ts'
import { addAuditArchive } from './audit/archive.ts'
import { addAuditExport } from './audit/export.ts'
import { addAuditFollow } from './audit/follow.ts'
import { addAuditShow } from './audit/show.ts'
import { addAuditVerify } from './audit/verify.ts'
import { addBackupCreate } from './backup/create.ts'
import { addBackupIdentity } from './backup/identity.ts'
import { addBackupRun } from './backup/run.ts'
import { addBackupRestore } from './backup/restore.ts'
import { addBackupVerify } from './backup/verify.ts'
import { addBackupKeysAdopt } from './backup-keys/adopt.ts'
import { addBackupKeysInvite } from './backup-keys/invite.ts'
import { addBackupKeysShare } from './backup-keys/share.ts'
import { addDatabaseAcceptRestored } from './database/accept-restored.ts'
import { addDoctor } from './doctor.ts'
import { exitCodeOf, exitCodes, sentenceOf } from './exit-code.ts'
import { addInit } from './init.ts'
import type { Invocation } from './invocation.ts'
import { createTerminal, type OutputStream, type Streams } from './output/terminal.ts'
import { addMigrateStore } from './migrate/store.ts'
import { addMigrateToken } from './migrate/token.ts'
import { addOtpAssign } from './otp/assign.ts'
import { addOtpEnroll } from './otp/enroll.ts'
import { addOtpImport } from './otp/import.ts'
import { addOtpList } from './otp/list.ts'
import { addOtpRemove } from './otp/remove.ts'
import { addOtpResync } from './otp/resync.ts'
import { addRootKeysList } from './root-keys/list.ts'
import { addRootKeysRotate } from './root-keys/rotate.ts'
import { addServiceDisable, addServiceEnable } from './service/active.ts'
import { addServiceCreate } from './service/create.ts'
import { addServiceCredentialAdd } from './service/credential-add.ts'
import { addServiceCredentialRemove } from './service/credential-remove.ts'
import { addServiceEdit } from './service/edit.ts'
import { addServiceList } from './service/list.ts'
import { addServiceRemove } from './service/remove.ts'
import { addServiceShow } from './service/show.ts'
import { addSessionEnd } from './session/end.ts'
import { addSessionList } from './session/list.ts'
import { addTemplateAdd } from './template/add.ts'
import { addTemplateCheck } from './template/check.ts'
import { addTemplateList } from './template/list.ts'
import { addTemplateRemove } from './template/remove.ts'
import { addTokenChangePin } from './token/change-pin.ts'
import { addTokenStatus } from './token/status.ts'
import { addRewrapPlan } from './transparent/rewrap-plan.ts'
import { addUserAdd } from './user/add.ts'
import { addUserCertificateAdd } from './usercert/add.ts'
import { addUserCertificateRemove } from './usercert/remove.ts'
import { addUserCertificateShow } from './usercert/show.ts'
import { addUserDisable } from './user/disable.ts'
import { addUserEdit } from './user/edit.ts'
import { addUserEnable } from './user/enable.ts'
import { addUserList } from './user/list.ts'
import { addUserPassphrase } from './user/passphrase.ts'
import { addValidatorClientAdd } from './validator/client-add.ts'
import { addValidatorClientList } from './validator/client-list.ts'
import { addValidatorClientRevoke } from './validator/client-revoke.ts'
import { defaultConfigFile } from '../config/default-file.ts'
import { versionLine } from '../release.ts'
import { addVersion } from './version.ts'
import { addVaultAcceptBackup } from './vault/accept-backup.ts'
import { addVaultAdopt } from './vault/adopt.ts'
import { addVaultConfirm } from './vault/confirm.ts'
import { addVaultList } from './vault/list.ts'
import { addVaultMembers } from './vault/members.ts'

const help = `
Exit codes:
  0  done; for doctor and audit verify: nothing is wrong
  1  a check found something, or the command was refused
  2  the command line or the configuration cannot be used
  3  the token cannot be used
  4  the database cannot be used
  6  the audit trail cannot be written

The codes mean the same as those of strongroomd; 5 (the port cannot be listened on) is the daemon's alone.

Examples:
  strongroom init
  strongroom user add alice --fullname 'Alice Example' --email alice@example.org
  strongroom otp enroll alice --totp
  strongroom doctor --json | jq '.findings[] | select(.state != "ok")'

Every command that changes something is recorded in the audit trail.`

interface Noun {
  readonly name: string
  readonly description: string
  readonly verbs: readonly ((noun: Command) => void)[]
}

const nouns: readonly Noun[] = [
  {
    name: 'user',
    description: 'people who may log in',
    verbs: [addUserAdd, addUserList, addUserEdit, addUserDisable, addUserPassphrase, addUserEnable],
  },
  {
    name: 'service',
    description: 'accounts of applications that run unattended',
    verbs: [
      addServiceCreate,
      addServiceList,
      addServiceShow,
      addServiceEdit,
      addServiceDisable,
      addServiceEnable,
      addServiceRemove,
      addServiceCredentialAdd,
      addServiceCredentialRemove,
    ],
  },
  { name: 'session', description: 'who is logged in', verbs: [addSessionList, addSessionEnd] },
  {
    name: 'vault',
    description: 'vaults: who shares them, never what is in them',
    verbs: [addVaultList, addVaultMembers, addVaultAdopt, addVaultConfirm, addVaultAcceptBackup],
  },
  {
    name: 'apikey',
    description: 'keys of applications, part of every login',
    verbs: [addApplicationKeyCreate, addApplicationKeyList, addApplicationKeyShapes, addApplicationKeyRevoke],
  },
  {
    name: 'otp',
    description: 'second factors',
    verbs: [addOtpEnroll, addOtpImport, addOtpAssign, addOtpList, addOtpRemove, addOtpResync],
  },
  {
    name: 'usercert',
    description: 'smartcards',
    verbs: [addUserCertificateAdd, addUserCertificateRemove, addUserCertificateShow],
  },
  {
    name: 'validator',
    description: 'programs that have one-time passwords checked',
    verbs: [addValidatorClientAdd, addValidatorClientList, addValidatorClientRevoke],
  },
  {
    name: 'template',
    description: 'forms of objects',
    verbs: [addTemplateList, addTemplateCheck, addTemplateAdd, addTemplateRemove],
  },
  { name: 'token', description: 'the hardware security module', verbs: [addTokenStatus, addTokenChangePin] },
  {
    name: 'root-keys',
    description: 'the keys in the token that everything lies below',
    verbs: [addRootKeysList, addRootKeysRotate],
  },
  {
    name: 'backup',
    description: 'backups of the whole appliance',
    verbs: [addBackupIdentity, addBackupCreate, addBackupVerify, addBackupRestore, addBackupRun],
  },
  {
    name: 'backup-keys',
    description: 'keys that let another appliance restore backups',
    verbs: [addBackupKeysInvite, addBackupKeysShare, addBackupKeysAdopt],
  },
  { name: 'database', description: 'what is stored', verbs: [addDatabaseAcceptRestored] },
  { name: 'migrate', description: 'moves to another database or token', verbs: [addMigrateStore, addMigrateToken] },
  { name: 'transparent', description: 'keys of applications', verbs: [addRewrapPlan] },
  {
    name: 'audit',
    description: 'the audit trail',
    verbs: [addAuditArchive, addAuditShow, addAuditFollow, addAuditExport, addAuditVerify],
  },
]

/** The whole command line. */
export function createProgram(output: OutputConfiguration = {}): Command {
  const program = new Command('strongroom')
    .description('Sets up and looks after a Strongroom appliance.')
    .version(versionLine('strongroom'))
    .option('--config <file>', 'configuration file', defaultConfigFile)
    .option('--json', 'answer with one JSON document')
    .addHelpText('after', help)
    .showHelpAfterError('Try --help.')
    .exitOverride()
    // Before the commands, which inherit it.
    .configureOutput(output)
  addInit(program)
  for (const { name, description, verbs } of nouns) {
    const noun = program.command(name).description(description)
    for (const addTo of verbs) addTo(noun)
  }
  addDoctor(program)
  addVersion(program)
  return program
}

/**
 * Runs one command and resolves with its exit code. `args` are those after the program's name; `build` is the folder of
 * the compiled product.
 */
export async function runConsole(args: readonly string[], streams: Streams, build: string): Promise<number> {
  const { stdout, stderr } = streams
  const terminal = createTerminal(streams)
  let exitCode: number = exitCodes.done
  const program = createProgram({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    getOutHelpWidth: () => widthOf(stdout),
    getErrHelpWidth: () => widthOf(stderr),
  })
  const surroundings: Omit<Invocation, 'config' | 'json'> = {
    terminal,
    build,
    finish: (code) => (exitCode = code),
  }
  for (const [name, value] of Object.entries(surroundings)) program.setOptionValue(name, value)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has written what there is to say.
    if (!(error instanceof CommanderError)) terminal.complain(`strongroom: ${sentenceOf(error)}`)
    return exitCodeOf(error)
  }
}

// Commander takes 80 where the width is not known.
const widthOf = ({ isTTY, columns }: OutputStream): number => (isTTY === true ? columns : undefined) ?? 80
