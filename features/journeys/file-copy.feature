@journey
Feature: A project that is no git repository
  The same commands work on any folder: the sandbox is a copy of it.

  Background:
    Given a folder that is no repository
    And it holds "notes.txt" with "first"

  Scenario: A command runs in a copy and its result is applied
    When I run "cleveragents run --plan greet --apply -- sh -c 'echo hello > greeting.txt; echo second >> notes.txt'"
    Then it ends with exit code 0
    And it prints "2 files changed"
    And it prints "Copy removed"
    And it prints "OK  Changes applied"
    And the folder has "greeting.txt" with "hello"
    And the folder holds nothing of ours

  Scenario: Nothing reaches the folder before the apply, and an apply can be undone
    When I run "cleveragents run --plan greet -- sh -c 'echo hello > greeting.txt; rm notes.txt'"
    Then it ends with exit code 0
    And the folder has no "greeting.txt"
    When I run "cleveragents plan show greet"
    Then it prints "Strategy    file_copy"
    When I run "cleveragents plan diff greet"
    Then it prints "+hello"
    When I run "cleveragents plan apply greet"
    Then it ends with exit code 0
    And the folder has no "notes.txt"
    When I run "cleveragents plan rollback greet"
    Then it ends with exit code 0
    And it prints "The apply is undone"
    And the folder has "notes.txt" with "first"
    And the folder has no "greeting.txt"
    And the folder holds nothing of ours

  Scenario: A conflict with my own edit is refused, and a refresh is the way out
    When I run "cleveragents run --plan mixed -- sh -c 'echo agent > notes.txt; echo hello > greeting.txt'"
    And I edit "notes.txt" to "mine"
    And I run "cleveragents plan apply mixed"
    Then it ends with exit code 3
    And it complains "notes.txt"
    And it complains "cleveragents plan refresh mixed"
    And the folder has "notes.txt" with "mine"
    And the folder has no "greeting.txt"
    When I run "cleveragents plan refresh mixed"
    Then it prints "notes.txt (content)"
    When I run "cleveragents plan apply mixed"
    Then it ends with exit code 3
    And it complains "Conflicts are left in the sandbox"
    When I run "cleveragents plan exec mixed -- sh -c 'echo agreed > notes.txt'"
    And I run "cleveragents plan apply mixed"
    Then it ends with exit code 0
    And the folder has "notes.txt" with "agreed"
    And the folder has "greeting.txt" with "hello"

  Scenario: An undo does not take my later work, and a revert keeps it
    Given it holds "list.txt" with lines "1 2 3 4 5 6 7"
    When I run "cleveragents run --plan late --apply -- sed -i s/1/one/ list.txt"
    And I replace "7" with "seven" in "list.txt"
    And I run "cleveragents plan rollback late"
    Then it ends with exit code 3
    And it complains "list.txt was changed since"
    When I run "cleveragents plan rollback --revert late"
    Then it ends with exit code 0
    And the folder has "list.txt" with lines "1 2 3 4 5 6 seven"

  Scenario: What was discarded comes back
    When I run "cleveragents run --plan lost --discard -- sh -c 'echo hello > greeting.txt'"
    Then it ends with exit code 0
    When I run "cleveragents plan list --rescued"
    Then it prints "lost"
    When I run "cleveragents plan restore lost"
    And I run "cleveragents plan apply lost"
    Then the folder has "greeting.txt" with "hello"

  Scenario: A copy that a cleaner took comes back from the last checkpoint
    Given it holds ".gitignore" with "secret.txt"
    And it holds "secret.txt" with "mine"
    And it holds "late.txt" with "early"
    When I run "cleveragents run --plan gone --keep -- sh -c 'rm notes.txt; echo new > new.txt'"
    And I edit "late.txt" to "late"
    And a cleaner takes the sandbox of plan "gone"
    And I run "cleveragents plan restore gone"
    Then it ends with exit code 0
    And it prints "Its files are those of checkpoint"
    When I run "cleveragents plan diff gone --stat"
    Then it prints "2 files changed"
    And it prints "A new.txt"
    And it prints "D notes.txt"
    When I run "cleveragents plan apply gone"
    Then it ends with exit code 0
    And the folder has no "notes.txt"
    And the folder has "new.txt" with "new"
    And the folder has "late.txt" with "late"
    And the folder has "secret.txt" with "mine"
    And the folder holds nothing of ours

  Scenario: A copy that was let go of as lost comes back all the same
    When I run "cleveragents run --plan gone --keep -- sh -c 'echo new > new.txt'"
    And a cleaner takes the sandbox of plan "gone"
    And I run "cleveragents doctor --fix"
    And I run "cleveragents plan restore gone"
    Then it ends with exit code 0
    When I run "cleveragents plan diff gone --stat"
    Then it prints "A new.txt"

  Scenario: A copy whose work was kept begins again from what was kept, and from no checkpoint
    When I run "cleveragents run --plan kept --keep -- sh -c 'echo new > new.txt'"
    And I run "cleveragents plan cleanup kept"
    And I restore plan "kept" from its checkpoint 1
    Then it ends with exit code 4
    And it complains "cleveragents checkpoint rollback"
    When I run "cleveragents plan restore kept"
    Then it ends with exit code 0
    When I run "cleveragents plan diff kept --stat"
    Then it prints "A new.txt"

  Scenario: Checkpoints and tools work in a copy
    When I run "cleveragents plan create steps"
    And I run "cleveragents tool call builtin/file-write '{\"path\":\"made.txt\",\"content\":\"made\"}' --plan steps"
    Then it ends with exit code 0
    When I run "cleveragents checkpoint create steps"
    And I run "cleveragents plan exec steps -- rm made.txt notes.txt"
    And I run "cleveragents checkpoint list steps"
    Then it ends with exit code 0
    When I run "cleveragents plan cleanup steps"
    Then it ends with exit code 0

  Scenario: What no copy can hold is named, and can be left out
    Given it holds a pipe "queue"
    When I run "cleveragents run --plan piped -- true"
    Then it ends with exit code 3
    And it complains "queue is a pipe"
    And it complains "--exclude"
    When I run "cleveragents run --plan piped --exclude queue -- ls"
    Then it ends with exit code 0
