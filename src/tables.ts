import type { EntitySchema, ObjectLiteral } from 'typeorm'
import { AuditHeadTable } from './audit/records.ts'
import { UserCertificateTable } from './certificate/records.ts'
import { ApplicationKeyTable, LoginAttemptsTable, LoginPlaceTable } from './login/records.ts'
import { FileChunkTable, FileUploadTable } from './object/file-records.ts'
import { SecretFieldTable, VaultObjectTable } from './object/records.ts'
import { OtpDeviceTable } from './otp/records.ts'
import { SessionTable, SessionTokenTable } from './session/records.ts'
import { SiteTemplateTable } from './template/records.ts'
import { KeyVersionTable, TransparentKeyTable } from './transparent/records.ts'
import { UserTable } from './user/records.ts'
import { ValidatedOtpTable, ValidationClientTable } from './validation/records.ts'
import { MembershipTable } from './vault/membership-records.ts'
import { DoomedKeyTable, VaultTable } from './vault/records.ts'

/** Every table of every feature; a test holds them against what the migrations make. */
export const tables: readonly EntitySchema<ObjectLiteral>[] = [
  UserTable,
  ApplicationKeyTable,
  LoginAttemptsTable,
  LoginPlaceTable,
  OtpDeviceTable,
  UserCertificateTable,
  SessionTable,
  SessionTokenTable,
  VaultTable,
  DoomedKeyTable,
  MembershipTable,
  TransparentKeyTable,
  KeyVersionTable,
  ValidationClientTable,
  ValidatedOtpTable,
  VaultObjectTable,
  SecretFieldTable,
  FileUploadTable,
  FileChunkTable,
  SiteTemplateTable,
  AuditHeadTable,
]
