// Runs a program in a console of its own, which no one at a keyboard can do under Xvfb, and reports what happened.
//   console.exe REPORT EVENT WHEN -- COMMAND LINE
// EVENT: none, c (Ctrl-C); WHEN: after this many milliseconds, or when a file exists whose name matches a pattern with
// *, or this many milliseconds after that (NAME*+MILLISECONDS).
// REPORT gets lines: whether the program had ended before, its exit code, milliseconds from the event to its end,
// whether escape sequences worked while it ran, the code page and the mode of the output that it left; then the text on
// the screen.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static BOOL WINAPI stay(DWORD event) {
    (void)event;
    return TRUE;
}

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    const wchar_t* line = wcsstr(GetCommandLineW(), L" -- ");
    if (!line) return 2;
    wchar_t* command = _wcsdup(line + 4);
    FILE* report = fopen(argv[1], "wb");
    if (!report) return 3;

    FreeConsole();
    if (!AllocConsole()) return 4;
    SetConsoleCtrlHandler(stay, TRUE);
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    HANDLE screen = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
    HANDLE keys = CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
    STARTUPINFOW startup = {.cb = sizeof startup};
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = keys;
    startup.hStdOutput = startup.hStdError = screen;
    PROCESS_INFORMATION started;
    if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &started)) return 5;

    DWORD mode = 0, taken = 0, code = 0;
    const BOOL is_file = strchr(argv[3], '*') != NULL;
    const DWORD milliseconds = is_file ? 100000 : (DWORD)atoi(argv[3]);
    char* later = is_file ? strchr(argv[3], '+') : NULL;
    if (later) *later++ = 0;
    WIN32_FIND_DATAA found;
    DWORD ended = WAIT_TIMEOUT;
    for (DWORD at = 0; at < milliseconds && ended == WAIT_TIMEOUT; at += 20) {
        HANDLE file = is_file ? FindFirstFileA(argv[3], &found) : INVALID_HANDLE_VALUE;
        if (file != INVALID_HANDLE_VALUE) {
            FindClose(file);
            if (later) WaitForSingleObject(started.hProcess, (DWORD)atoi(later));
            ended = WaitForSingleObject(started.hProcess, 0);
            break;
        }
        ended = WaitForSingleObject(started.hProcess, 20);
        if (GetConsoleMode(screen, &mode)) taken |= mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    }
    if (strcmp(argv[2], "c") == 0) GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
    const ULONGLONG since = GetTickCount64();
    if (WaitForSingleObject(started.hProcess, 60000) != WAIT_OBJECT_0) TerminateProcess(started.hProcess, 99);
    GetExitCodeProcess(started.hProcess, &code);
    fprintf(report, "before %d\nexit %lu\nafter %llu\n", ended == WAIT_OBJECT_0, code, GetTickCount64() - since);
    mode = 0;
    GetConsoleMode(screen, &mode);
    fprintf(report, "escapes %d\nmode %lu\npage %u\n", taken != 0, mode, GetConsoleOutputCP());

    CONSOLE_SCREEN_BUFFER_INFO info = {0};
    GetConsoleScreenBufferInfo(screen, &info);
    for (SHORT y = 0; y <= info.dwCursorPosition.Y; y++) {
        wchar_t row[500];
        char text[2000];
        DWORD count = 0;
        const COORD at = {0, y};
        ReadConsoleOutputCharacterW(screen, row, (DWORD)(info.dwSize.X < 500 ? info.dwSize.X : 500), at, &count);
        while (count > 0 && row[count - 1] == L' ') count--;
        const int bytes = WideCharToMultiByte(CP_UTF8, 0, row, (int)count, text, sizeof text, NULL, NULL);
        fputc('|', report);
        fwrite(text, 1, (size_t)bytes, report);
        fputc('\n', report);
    }
    fclose(report);
    return 0;
}
