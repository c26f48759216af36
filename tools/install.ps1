# Installs the stickslip program on Windows from a release: it downloads the archive, compares its SHA-256 with the list of the
# release, and unpacks it.
#
#     powershell -ExecutionPolicy Bypass -File install.ps1 [-To FOLDER] [-From ADDRESS]
#
# FOLDER (default: %LOCALAPPDATA%\Programs\stickslip) gets stickslip.exe and the examples. ADDRESS is where the archives and
# SHA256SUMS are, or a folder. The release fills in its own address.
param(
    [string]$To = (Join-Path $env:LOCALAPPDATA "Programs\stickslip"),
    [string]$From = "@ADDRESS@"
)
$ErrorActionPreference = "Stop"
if ($From.StartsWith("@")) {
    throw "no release is published yet; give the address of the archives by -From"
}
$name = "stickslip-windows-x86_64.tar.gz"
$work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory -Path $work | Out-Null
try {
    foreach ($file in $name, "SHA256SUMS") {
        $target = Join-Path $work $file
        if (Test-Path $From) { Copy-Item (Join-Path $From $file) $target }
        else { Invoke-WebRequest -UseBasicParsing -Uri "$From/$file" -OutFile $target }
    }
    $line = Get-Content (Join-Path $work "SHA256SUMS") | Where-Object { $_ -match "[ *]$([Regex]::Escape($name))$" }
    $wanted = if ($line) { ($line -split " ")[0] } else { "" }
    $found = (Get-FileHash -Algorithm SHA256 (Join-Path $work $name)).Hash
    if ($wanted -ne $found) {
        throw "$name has the SHA-256 $found; the release says '$wanted'. Nothing was installed."
    }
    tar -xzf (Join-Path $work $name) -C $work
    if ($LASTEXITCODE -ne 0) { throw "$name could not be unpacked" }
    New-Item -ItemType Directory -Force -Path $To | Out-Null
    Copy-Item -Recurse -Force (Join-Path $work "stickslip\*") $To
}
finally {
    Remove-Item -Recurse -Force $work
}
& (Join-Path $To "stickslip.exe") --version
Write-Output "installed in $To; add this folder to your PATH to call stickslip by its name"
