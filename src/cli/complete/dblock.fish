# SPDX-License-Identifier: MIT
# Completion of dblock's command lines in fish. The program knows what fits; this tells it what is typed.

function __dblock_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l plain (string unescape -- $word; or string trim -l -c '\'"' -- $word)
    set -l lines ($before[1] complete fish -- $before "$plain" 2>/dev/null)
    set -l kind $lines[1]
    set -l option (string match -r -- '^--[^=]*=' $word)
    switch "$kind"
        case words
            printf '%s\n' $lines[2..-1]
        case files
            printf '%s\n' "$option"(__fish_complete_path (string replace -- "$option" '' $word))
        case directories
            printf '%s\n' "$option"(__fish_complete_directories (string replace -- "$option" '' $word))
        case 'command *'
            __fish_complete_subcommand --fcs-skip=(string replace 'command ' '' $kind)
    end
end

complete -c dblock -f -a '(__dblock_complete)'
