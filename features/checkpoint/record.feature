Feature: Recording checkpoints
  Whoever runs an agent records how the sandbox stood and why, and finds it again later.

  Scenario: A checkpoint knows its plan and the state it stands for
    Given a checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "abc123", not yet recorded
    Then it belongs to plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    And it stands for the state "abc123"

  Scenario: A checkpoint says why it was taken
    Given a checkpoint taken because of "pre-execution" by the tool "lint-check" in phase "execute", not yet recorded
    Then its reason is "pre-execution"
    And its tool is "lint-check"
    And its phase is "execute"

  Scenario: An id must not be empty
    When I check the empty id
    Then it is refused as invalid with "ULID field must not be empty"

  Scenario: A checkpoint is recorded
    When I record a checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
    Then it is recorded under an id of its own
    And it belongs to plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"

  Scenario: The checkpoints of a plan are listed, oldest first
    Given a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-1"
    And a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-2"
    And a recorded checkpoint of plan "another plan" for the state "commit-3"
    Then plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has checkpoints for the states "commit-1, commit-2"

  Scenario: A checkpoint is found by its id
    Given a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-xyz"
    When I look it up by its id
    Then I get that very checkpoint

  Scenario: An unknown id finds nothing
    When I look up the checkpoint "01NONEXISTENT0000000000000"
    Then it is not found

  Scenario: A deleted checkpoint is gone
    Given a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
    When I delete it
    Then it can no longer be found
    And plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has no checkpoints

  Scenario: An unknown checkpoint cannot be deleted
    When I delete the checkpoint "01NONEXISTENT0000000000000"
    Then it is not found

  Scenario: A checkpoint needs a plan
    When I record a checkpoint of plan "" for the state "commit-abc"
    Then it is refused as invalid with "plan_id cannot be empty"

  Scenario: A checkpoint needs a state
    When I record a checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state ""
    Then it is refused as invalid with "sandbox_ref cannot be empty"

  Scenario: The reason is kept for audit
    When I record a checkpoint taken because of "pre-tool-run" by the tool "format-code" in phase "execute"
    And I look it up by its id
    Then its reason is "pre-tool-run"
    And its tool is "format-code"
    And its phase is "execute"

  Scenario: A checkpoint can be aligned with a decision
    When I record a checkpoint aligned with the decision "01DEC1S10N0000000000000000"
    And I look it up by its id
    Then its decision is "01DEC1S10N0000000000000000"

  Scenario: A checkpoint says what was about to happen
    When I record a checkpoint of the type "pre_write"
    And I look it up by its id
    Then its type is "pre_write"

  Scenario: A type that there is not is refused
    When I record a checkpoint of the type "invalid_type"
    Then it is refused as invalid with "checkpoint_type must be one of"

  Scenario: A checkpoint can name the resource it was taken of
    When I record a checkpoint of the resource "01RES0URCE0000000000000000"
    And I look it up by its id
    Then its resource is "01RES0URCE0000000000000000"

  Scenario: A checkpoint can say where a copy lies and how large it is
    When I record a checkpoint that lies at "snapshots/cp001" and takes 4096 bytes
    And I look it up by its id
    Then it lies at "snapshots/cp001"
    And it takes 4096 bytes

  Scenario: A captured checkpoint names what it does not hold
    Given plan "covered" has a sandbox
    And the file "kept" of plan "covered" reads "kept"
    And the file "secret" of plan "covered" is ignored
    And the file "secret" of plan "covered" reads "mine"
    When I capture a checkpoint of plan "covered"
    Then it holds 1 file
    And it names "secret" as not held: "ignored"
