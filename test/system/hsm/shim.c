/*
 * A PKCS#11 module for tests that forwards to the real one and misbehaves on command. Compiled with
 *   -DREAL_MODULE='"…"'  the module to forward to
 * In the folder that the module lies in are the file `control` (what to do) and the file `journal` (what was called).
 *
 * control: one line `FUNCTION ACTION [NUMBER]`
 *   fail CKR        returns CKR each time          fail-once CKR   returns CKR one time, in one process
 *   slow MS         sleeps, then forwards          hang            never returns
 *   wait-once       one time, in one process, forwards when there is the next command, and notes that it waits
 *   hang-after      forwards, then never returns (C_SetPIN)
 *   forget CKA      forwards the template without this attribute (C_GenerateKey)
 * journal: a line for each login, and for each object that is made or destroyed, with the attributes that the real module reports.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pkcs11.h>

static CK_FUNCTION_LIST *real;
static CK_FUNCTION_LIST table;

static char control_path[4096];
static char journal_path[4096];

__attribute__((constructor)) static void find_directory(void) {
  Dl_info self;
  if (dladdr((void *)&table, &self) == 0) abort();
  int length = (int)(strrchr(self.dli_fname, '/') - self.dli_fname);
  snprintf(control_path, sizeof control_path, "%.*s/control", length, self.dli_fname);
  snprintf(journal_path, sizeof journal_path, "%.*s/journal", length, self.dli_fname);
}

static void note(const char *line) {
  int journal = open(journal_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (journal < 0) return;
  /* One write of one line: hosts share the file. */
  if (write(journal, line, strlen(line)) < 0) abort();
  close(journal);
}

/* Returns 1 and sets *rv when the call must not be forwarded. */
static int interfere(const char *function, CK_RV *rv) {
  FILE *control = fopen(control_path, "r");
  if (control == NULL) return 0;
  char name[64] = "", action[32] = "";
  long number = 0;
  int words = fscanf(control, "%63s %31s %li", name, action, &number);
  fclose(control);
  if (words < 2 || strcmp(name, function) != 0) return 0;
  *rv = (CK_RV)number;
  if (strcmp(action, "fail") == 0) return 1;
  /* unlink succeeds in one process only. */
  if (strcmp(action, "fail-once") == 0) return unlink(control_path) == 0;
  if (strcmp(action, "slow") == 0) usleep((useconds_t)number * 1000);
  if (strcmp(action, "wait-once") == 0 && unlink(control_path) == 0) {
    char line[80];
    snprintf(line, sizeof line, "waits %s\n", function);
    note(line);
    while (access(control_path, F_OK) != 0) usleep(5000);
  }
  if (strcmp(action, "hang") == 0)
    for (;;) pause();
  return 0;
}

static void hang_after(const char *function) {
  FILE *control = fopen(control_path, "r");
  char name[64] = "", action[32] = "";
  if (control == NULL) return;
  int words = fscanf(control, "%63s %31s", name, action);
  fclose(control);
  if (words == 2 && strcmp(name, function) == 0 && strcmp(action, "hang-after") == 0)
    for (;;) pause();
}

static const struct {
  CK_ATTRIBUTE_TYPE type;
  const char *name;
} flags[] = {
    {CKA_TOKEN, "TOKEN"},     {CKA_PRIVATE, "PRIVATE"}, {CKA_SENSITIVE, "SENSITIVE"}, {CKA_EXTRACTABLE, "EXTRACTABLE"},
    {CKA_ENCRYPT, "ENCRYPT"}, {CKA_DECRYPT, "DECRYPT"}, {CKA_SIGN, "SIGN"},           {CKA_VERIFY, "VERIFY"},
    {CKA_WRAP, "WRAP"},       {CKA_UNWRAP, "UNWRAP"},   {CKA_DERIVE, "DERIVE"},
};

static void note_object(const char *function, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object) {
  char line[512];
  int length = snprintf(line, sizeof line, "%d %s", (int)getpid(), function);
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
    CK_BBOOL value = CK_FALSE;
    CK_ATTRIBUTE attribute = {flags[i].type, &value, sizeof value};
    CK_RV rv = real->C_GetAttributeValue(session, object, &attribute, 1);
    if (rv == CKR_OK && value) length += snprintf(line + length, sizeof line - length, " %s", flags[i].name);
  }
  snprintf(line + length, sizeof line - length, "\n");
  note(line);
}

static void note_call(const char *function, CK_RV rv) {
  char line[96];
  snprintf(line, sizeof line, "%d %s 0x%lx\n", (int)getpid(), function, rv);
  note(line);
}

#define FORWARD(function, parameters, arguments)        \
  static CK_RV shim_##function parameters {             \
    CK_RV rv;                                           \
    if (interfere(#function, &rv)) return rv;           \
    return real->function arguments;                    \
  }

#define FORWARD_AND(function, parameters, arguments, afterwards) \
  static CK_RV shim_##function parameters {                      \
    CK_RV rv;                                                    \
    if (!interfere(#function, &rv)) rv = real->function arguments; \
    afterwards;                                                  \
    return rv;                                                   \
  }

FORWARD(C_OpenSession, (CK_SLOT_ID slot, CK_FLAGS f, CK_VOID_PTR app, CK_NOTIFY notify, CK_SESSION_HANDLE_PTR s), (slot, f, app, notify, s))
FORWARD(C_EncryptInit, (CK_SESSION_HANDLE s, CK_MECHANISM_PTR m, CK_OBJECT_HANDLE k), (s, m, k))
FORWARD(C_Encrypt, (CK_SESSION_HANDLE s, CK_BYTE_PTR in, CK_ULONG n, CK_BYTE_PTR out, CK_ULONG_PTR m), (s, in, n, out, m))
FORWARD(C_Decrypt, (CK_SESSION_HANDLE s, CK_BYTE_PTR in, CK_ULONG n, CK_BYTE_PTR out, CK_ULONG_PTR m), (s, in, n, out, m))
FORWARD(C_Sign, (CK_SESSION_HANDLE s, CK_BYTE_PTR in, CK_ULONG n, CK_BYTE_PTR out, CK_ULONG_PTR m), (s, in, n, out, m))
FORWARD(C_GenerateRandom, (CK_SESSION_HANDLE s, CK_BYTE_PTR out, CK_ULONG n), (s, out, n))
FORWARD(C_GetSlotList, (CK_BBOOL present, CK_SLOT_ID_PTR slots, CK_ULONG_PTR n), (present, slots, n))
FORWARD(C_WrapKey,
        (CK_SESSION_HANDLE s, CK_MECHANISM_PTR m, CK_OBJECT_HANDLE kek, CK_OBJECT_HANDLE k, CK_BYTE_PTR out, CK_ULONG_PTR n),
        (s, m, kek, k, out, n))
FORWARD_AND(C_Login, (CK_SESSION_HANDLE s, CK_USER_TYPE user, CK_UTF8CHAR_PTR pin, CK_ULONG n), (s, user, pin, n), note_call("C_Login", rv))
static CK_RV shim_C_SetPIN(CK_SESSION_HANDLE s, CK_UTF8CHAR_PTR o, CK_ULONG n, CK_UTF8CHAR_PTR p, CK_ULONG m) {
  CK_RV rv;
  if (interfere("C_SetPIN", &rv)) return rv;
  rv = real->C_SetPIN(s, o, n, p, m);
  note_call("C_SetPIN", rv);
  hang_after("C_SetPIN");
  return rv;
}
FORWARD_AND(C_DestroyObject, (CK_SESSION_HANDLE s, CK_OBJECT_HANDLE k), (s, k), note_call("C_DestroyObject", rv))
/* A token that takes an attribute and does not keep it. */
static CK_ULONG without_forgotten(const char *function, CK_ATTRIBUTE_PTR template, CK_ULONG count, CK_ATTRIBUTE_PTR kept) {
  char name[64] = "", action[32] = "";
  unsigned long forgotten = (unsigned long)-1;
  FILE *control = fopen(control_path, "r");
  if (control != NULL) {
    if (fscanf(control, "%63s %31s %li", name, action, (long *)&forgotten) < 3 || strcmp(name, function) != 0 || strcmp(action, "forget") != 0)
      forgotten = (unsigned long)-1;
    fclose(control);
  }
  CK_ULONG n = 0;
  for (CK_ULONG i = 0; i < count && n < 64; i++)
    if (template[i].type != forgotten) kept[n++] = template[i];
  return n;
}

static CK_RV shim_C_GenerateKey(CK_SESSION_HANDLE s, CK_MECHANISM_PTR m, CK_ATTRIBUTE_PTR t, CK_ULONG n, CK_OBJECT_HANDLE_PTR k) {
  CK_RV rv;
  CK_ATTRIBUTE kept[64];
  if (!interfere("C_GenerateKey", &rv)) rv = real->C_GenerateKey(s, m, kept, without_forgotten("C_GenerateKey", t, n, kept), k);
  if (rv == CKR_OK) note_object("C_GenerateKey", s, *k);
  return rv;
}
FORWARD_AND(C_GenerateKeyPair,
            (CK_SESSION_HANDLE s, CK_MECHANISM_PTR m, CK_ATTRIBUTE_PTR t, CK_ULONG n, CK_ATTRIBUTE_PTR u, CK_ULONG o, CK_OBJECT_HANDLE_PTR p,
             CK_OBJECT_HANDLE_PTR k),
            (s, m, t, n, u, o, p, k), if (rv == CKR_OK) note_object("C_GenerateKeyPair", s, *k))
FORWARD_AND(C_CreateObject, (CK_SESSION_HANDLE s, CK_ATTRIBUTE_PTR t, CK_ULONG n, CK_OBJECT_HANDLE_PTR k), (s, t, n, k),
            if (rv == CKR_OK) note_object("C_CreateObject", s, *k))
FORWARD_AND(C_UnwrapKey,
            (CK_SESSION_HANDLE s, CK_MECHANISM_PTR m, CK_OBJECT_HANDLE kek, CK_BYTE_PTR in, CK_ULONG l, CK_ATTRIBUTE_PTR t, CK_ULONG n,
             CK_OBJECT_HANDLE_PTR k),
            (s, m, kek, in, l, t, n, k), if (rv == CKR_OK) note_object("C_UnwrapKey", s, *k))

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR list) {
  if (real == NULL) {
    void *library = dlopen(REAL_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return CKR_GENERAL_ERROR;
    CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList");
    if (get == NULL || get(&real) != CKR_OK) return CKR_GENERAL_ERROR;
    table = *real;
    table.C_OpenSession = shim_C_OpenSession;
    table.C_EncryptInit = shim_C_EncryptInit;
    table.C_Encrypt = shim_C_Encrypt;
    table.C_Decrypt = shim_C_Decrypt;
    table.C_Sign = shim_C_Sign;
    table.C_GenerateRandom = shim_C_GenerateRandom;
    table.C_GetSlotList = shim_C_GetSlotList;
    table.C_WrapKey = shim_C_WrapKey;
    table.C_GenerateKeyPair = shim_C_GenerateKeyPair;
    table.C_Login = shim_C_Login;
    table.C_SetPIN = shim_C_SetPIN;
    table.C_DestroyObject = shim_C_DestroyObject;
    table.C_GenerateKey = shim_C_GenerateKey;
    table.C_CreateObject = shim_C_CreateObject;
    table.C_UnwrapKey = shim_C_UnwrapKey;
  }
  *list = &table;
  return CKR_OK;
}
