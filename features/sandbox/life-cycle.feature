@sandbox
Feature: A sandbox from creation to clean-up
  A plan works in a sandbox, and the project stays as it is until the work is committed.

  Background:
    Given a project with the files "README.md" and "src/main.py"

  Rule: A sandbox is made for one plan and holds the project

    Scenario: A sandbox is created
      When a sandbox is created for plan "plan-001"
      Then the sandbox is "created"
      And the sandbox belongs to plan "plan-001"
      And it says which strategy made it
      And its folder exists and holds "README.md"

    Scenario: A sandbox has an identity before it is created
      When a sandbox is set up
      Then its id is a ULID
      And the sandbox is "pending"
      And it has no context

    Scenario Outline: What cannot be sandboxed is refused at once
      When a sandbox is set up with <flaw>
      Then it is refused as invalid: "<message>"

      Examples:
        | flaw                   | message                       |
        | an empty resource id   | resource_id cannot be empty   |
        | an empty original path | original_path cannot be empty |

    @git
    Scenario: A sandbox needs time for git
      When a sandbox is set up with no time for git
      Then it is refused as invalid: "git_timeout must be positive"

    Scenario: A plan needs a name
      When a sandbox is created for plan ""
      Then it is refused as invalid: "plan_id cannot be empty"
      And the sandbox is "pending"

    @git
    Scenario: A directory that is no repository cannot have a git worktree
      Given a directory that is no repository
      When a sandbox of it is created for plan "plan-001"
      Then the creation is refused with code "SANDBOX_NOT_A_REPOSITORY"

    @git
    Scenario: The branch of a sandbox has a name that git takes
      When a sandbox is created for plan "plan with spaces!@#"
      Then git takes the name of its branch

  Rule: Paths are resolved inside the sandbox

    Scenario: A path of the project is found in the sandbox
      Given a sandbox for plan "plan-001"
      When the path "src/main.py" is resolved
      Then the resolved path lies inside the sandbox
      And the sandbox is "active"

    Scenario: A path that leads out is refused
      Given a sandbox for plan "plan-001"
      When the path "../etc/passwd" is resolved
      Then it is refused as invalid: "Path traversal not allowed"

    Scenario: A sandbox that is gone resolves nothing
      Given a sandbox for plan "plan-001" that was cleaned up
      When the path "file.txt" is resolved
      Then the call is refused in this state

  Rule: A commit takes the work into the project

    Scenario: Nothing changed, nothing committed
      Given a sandbox for plan "plan-001"
      When it is committed as "empty commit"
      Then the commit succeeds with 0 added, 0 changed and 0 deleted files

    Scenario: A new file reaches the project
      Given a sandbox for plan "plan-001"
      And the file "new_file.txt" with "hello" is made in the sandbox
      When it is committed as "add new file"
      Then the commit succeeds with 1 added, 0 changed and 0 deleted files
      And the project holds "new_file.txt" with "hello"

    Scenario: A changed file is reported as changed
      Given a sandbox for plan "plan-001"
      And the file "README.md" is changed in the sandbox
      When it is committed as "modify readme"
      Then the commit succeeds with 0 added, 1 changed and 0 deleted files

    Scenario: A sandbox that is gone commits nothing
      Given a sandbox for plan "plan-001" that was cleaned up
      When it is committed as "too late"
      Then the call is refused in this state

    Scenario: Work of the user in the same file is never overwritten
      Given a sandbox for plan "plan-001"
      And the path "README.md" is resolved
      And the file "README.md" is changed in the sandbox
      And the user changes "README.md" in the project
      When it is committed as "overwrite"
      Then the commit is refused because of the user's work
      And the user's "README.md" is untouched
      And the sandbox is "active"

  Rule: A rollback takes it back

    Scenario: Work that was not committed is discarded
      Given a sandbox for plan "plan-001"
      And the file "temp.txt" with "temporary" is made in the sandbox
      And the path "temp.txt" is resolved
      When it is rolled back
      Then the sandbox is "rolled_back"
      And the sandbox does not hold "temp.txt"

    Scenario: There is nothing to take back from a sandbox that nobody used
      Given a sandbox for plan "plan-001"
      When it is rolled back
      Then the call is refused in this state

    Scenario: A commit is taken back out of the project
      Given a sandbox for plan "plan-rb-commit"
      And the file "committed_file.txt" with "committed-data" is made in the sandbox
      And it is committed as "add committed_file"
      And the sandbox is "committed"
      And the project holds "committed_file.txt" with "committed-data"
      When it is rolled back
      Then the sandbox is "rolled_back"
      And the project does not hold "committed_file.txt"

  Rule: A clean-up leaves nothing behind

    Scenario: Folder and branch are gone
      Given a sandbox for plan "plan-001"
      When it is cleaned up
      Then the sandbox is "cleaned_up"
      And its folder does not exist
      And its branch does not exist

    Scenario: A clean-up can be repeated
      Given a sandbox for plan "plan-001"
      When it is cleaned up
      And it is cleaned up
      Then the sandbox is "cleaned_up"
